-- Machines: rows of a table, run with values that may be unknown (nil).
--
-- The result of an event depends only on the configuration (state and variables) and on the event's data, and is computed
-- once for each pair.

local Rows = {}
local RAISED_MAX = 8
local KNOWN_MAX = 5000 -- the maximum number of cached configurations
local BIG = 18446744073709551615

-- Values that may be unknown
local Value = {}

function Value.all(one, other)
  if one == false or other == false then
    return false
  end
  if one == nil or other == nil then
    return nil
  end
  return true
end

function Value.any(one, other)
  if one == true or other == true then
    return true
  end
  if one == nil or other == nil then
    return nil
  end
  return false
end

function Value.no(one)
  if one == nil then
    return nil
  end
  return not one
end

local comparisons = {
  ["=="] = function(one, other) return one == other end,
  ["!="] = function(one, other) return one ~= other end,
  ["<"] = function(one, other) return one < other end,
  ["<="] = function(one, other) return one <= other end,
  [">"] = function(one, other) return one > other end,
  [">="] = function(one, other) return one >= other end,
}

function Value.compare(operator, one, other)
  if one == nil or other == nil then
    return nil
  end
  return comparisons[operator](one, other)
end

function Value.add(one, other, greatest)
  if one == nil or other == nil then
    return nil
  end
  return math.min(one + other, greatest or BIG)
end

function Value.subtract(one, other)
  if one == nil or other == nil then
    return nil
  end
  return math.max(one - other, 0)
end

function Value.least(one, greatest)
  if one == nil then
    return nil
  end
  return math.min(one, greatest)
end

-- Configurations

local function written(value)
  if value == nil then
    return "?"
  end
  return type(value) == "number" and string.format("%.0f", value) or tostring(value)
end

-- A configuration: {state, values, terminated}, with values derived from it.
function Rows.configuration(machine, state, values, terminated)
  local parts = { state, terminated and "!" or "" }
  for _, name in ipairs(machine.names) do
    table.insert(parts, written(values[name]))
  end
  local key = table.concat(parts, "\1")
  local found = machine.known[key]
  if found == nil then
    if machine.count >= KNOWN_MAX then
      machine.known, machine.count = {}, 0
    end
    found = { state = state, values = values, terminated = terminated, key = key, outcomes = {} }
    machine.known[key], machine.count = found, machine.count + 1
  end
  return found
end

function Rows.copied(values)
  local found = {}
  for name, value in pairs(values) do
    found[name] = value
  end
  return found
end

-- The sent messages, as a key.
function Rows.sends_key(sends)
  local parts = {}
  for _, sent in ipairs(sends) do
    table.insert(parts, sent.message)
    for _, field in ipairs(sent.fields) do
      table.insert(parts, written(field.value))
    end
  end
  return table.concat(parts, "\1")
end

local function settled(machine, run)
  local values = {}
  for _, name in ipairs(machine.names) do
    if run.terminated or not machine.live[run.state][name] then
      values[name] = machine.initial_values[name]
    else
      values[name] = run.values[name]
    end
  end
  return {
    configuration = Rows.configuration(machine, run.state, values, run.terminated),
    sends = run.sends,
    sends_key = Rows.sends_key(run.sends),
  }
end

local function branch(run)
  local sends = {}
  for index, sent in ipairs(run.sends) do
    sends[index] = sent
  end
  return { state = run.state, values = Rows.copied(run.values), terminated = run.terminated, sends = sends }
end

-- The parameters with which a row sends `seen` first.
local function parameters(row, carried, seen)
  if seen == nil then
    return {}
  end
  for _, step in ipairs(row.steps) do
    if step.send then
      if step.send ~= seen.message then
        return {}
      end
      if step.forward and carried == seen.message then
        return seen.fields
      end
      local found = {}
      for _, field in ipairs(step.fields) do
        if field.parameter then
          found[field.parameter] = seen.fields[field.name]
        end
      end
      return found
    end
  end
  return {}
end

local walk_row

local function walk(machine, run, event, given, seen, depth, found)
  local state_rows = machine.rows[run.state]
  local rows = state_rows and state_rows[event] or {}
  for _, row in ipairs(rows) do
    local message = given or parameters(row, machine.carries[event], seen)
    local holds = true
    if row.guard then
      holds = row.guard(run.values, message)
    end
    if holds ~= false then
      walk_row(machine, branch(run), row, 1, message, seen, depth, found)
    end
    if holds == true then
      return
    end
  end
end

local function sent_by(step, run, message, seen)
  local fields = {}
  local first = #run.sends == 0 and seen or nil
  for _, field in ipairs(step.fields) do
    local value
    if step.forward then
      value = message[field.name]
    elseif field.value then
      value = field.value(run.values, message)
    end
    if value == nil and field.variable and first and first.message == step.send then
      value = first.fields[field.name]
      run.values[field.variable] = value
    end
    table.insert(fields, { name = field.name, value = value })
  end
  return { message = step.send, fields = fields }
end

function walk_row(machine, run, row, at, message, seen, depth, found)
  while true do
    if row.next and at == row.before_at + 1 then
      run.state = row.next
    end
    local step = row.steps[at]
    if step == nil then
      table.insert(found, settled(machine, run))
      return
    end
    if step.raises and depth < RAISED_MAX then
      for _, name in ipairs(step.raises) do
        walk(machine, branch(run), name, {}, nil, depth + 1, found)
      end
    elseif step.assign then
      run.values[step.assign] = step.value(run.values, message)
    elseif step.send then
      table.insert(run.sends, sent_by(step, run, message, seen))
    elseif step.terminate then
      run.terminated = true
    end
    at = at + 1
  end
end

-- The data of an event: `fields` has the relevant fields by name; they also form a key.
function Rows.carried(message, fields)
  local names = {}
  for name in pairs(fields) do
    table.insert(names, name)
  end
  table.sort(names)
  local parts = { message }
  for _, name in ipairs(names) do
    table.insert(parts, written(fields[name]))
  end
  return { message = message, fields = fields, key = table.concat(parts, "\1") }
end

-- The possible outcomes of an event: a list of {configuration, sends, sends_key}. `given` is the event's data, nil if
-- unknown; `seen` is the message that was seen next.
function Rows.fire(machine, configuration, event, given, seen)
  local key = event .. "\2" .. (given and given.key or "") .. "\2" .. (seen and seen.key or "")
  local found = configuration.outcomes[key]
  if found == nil then
    found = {}
    local run = {
      state = configuration.state, values = Rows.copied(configuration.values), terminated = configuration.terminated,
      sends = {},
    }
    walk(machine, run, event, given and given.fields, seen, 0, found)
    configuration.outcomes[key] = found
  end
  return found
end

-- The calls of each state that may send a message first, and those that may send none.
function Rows.prepare(machine)
  machine.known, machine.count = {}, 0
  machine.sending, machine.quiet = {}, {}
  for state, events in pairs(machine.calls) do
    local sending, quiet = {}, {}
    for _, event in ipairs(events) do
      local names, anything, nothing = {}, false, false
      for _, row in ipairs(machine.rows[state][event] or {}) do
        local first
        for _, step in ipairs(row.steps) do
          anything = anything or step.raises ~= nil
          first = first or step.send
        end
        if first then
          names[first] = true
        else
          nothing = true
        end
      end
      table.insert(sending, { event = event, names = names, anything = anything })
      if nothing or anything then
        table.insert(quiet, event)
      end
    end
    machine.sending[state], machine.quiet[state] = sending, quiet
  end
end
