-- Sessions: what both machines may be doing, by what was seen on the wire.
--
-- A capture shows what is sent, and in which order; it does not show when a message is taken at the other end, nor the
-- timers and calls in between. So each machine is followed as a set of possibilities: a state, the variables that
-- matter, how much of what was sent to it has been taken, and what it still has to send. A message is legal if at least
-- one possibility sends it next. A value that cannot be known is nil, and a guard that is nil may go either way; so an
-- alarm is about something that the machine cannot do.
--
-- Numbers are Lua's: exact up to 2^53.

local Session = {}
local WINDOW = 256 -- messages on their way that a machine may not have taken yet
local POSSIBILITIES_MAX = 4000
local RAISED_MAX = 8
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

Session.Value = Value

-- Possibilities

local function written(value)
  if value == nil then
    return "?"
  end
  return type(value) == "number" and string.format("%.0f", value) or tostring(value)
end

local function key_of(machine, one)
  local parts = { one.state, one.terminated and "!" or "", tostring(one.taken) }
  for _, name in ipairs(machine.names) do
    table.insert(parts, written(one.values[name]))
  end
  for _, sent in ipairs(one.pending) do
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
  return { state = run.state, values = values, terminated = run.terminated, sends = run.sends }
end

local function copied(values)
  local found = {}
  for name, value in pairs(values) do
    found[name] = value
  end
  return found
end

local function branch(run)
  local sends = {}
  for index, sent in ipairs(run.sends) do
    sends[index] = sent
  end
  return { state = run.state, values = copied(run.values), terminated = run.terminated, sends = sends }
end

-- What a row's parameters must have been for it to send `seen` first.
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

-- What may come of an event: possibilities with what they send.
local function fire(machine, one, event, given, seen)
  local found = {}
  local run = { state = one.state, values = copied(one.values), terminated = one.terminated, sends = {} }
  walk(machine, run, event, given, seen, 0, found)
  return found
end

local function agrees(sent, seen)
  if sent.message ~= seen.message then
    return false
  end
  for _, field in ipairs(sent.fields) do
    if field.value ~= nil and field.value ~= seen.fields[field.name] then
      return false
    end
  end
  return true
end

-- A machine that is watched

local function put(watched, worklist, one)
  local key = key_of(watched.machine, one)
  local known = watched.possible[key]
  if known == nil then
    watched.possible[key] = one
    watched.count = watched.count + 1
    table.insert(worklist, one)
  elseif one.guesses < known.guesses then
    known.guesses = one.guesses
    table.insert(worklist, known)
  end
end

local function after(one, outcome, taken, guesses)
  return {
    state = outcome.state,
    values = outcome.values,
    terminated = outcome.terminated,
    pending = outcome.sends,
    taken = taken,
    guesses = one.guesses + guesses,
  }
end

-- Adds all that can happen without anything being sent.
local function close(watched, worklist)
  local machine = watched.machine
  while #worklist > 0 do
    if watched.count > POSSIBILITIES_MAX then
      watched.lost = true -- there is more than can be followed: nothing is accused until it is known again
      return
    end
    local one = table.remove(worklist)
    if #one.pending == 0 then
      local arrived = watched.inbox[one.taken + 1]
      if arrived and one.terminated then
        put(watched, worklist, after(one, { state = one.state, values = one.values, terminated = true, sends = {} },
          one.taken + 1, 0))
      elseif arrived and not machine.deaf[one.state] then
        for _, outcome in ipairs(fire(machine, one, arrived.event, arrived.fields)) do
          put(watched, worklist, after(one, outcome, one.taken + 1, 0))
        end
      end
      for _, event in ipairs(one.terminated and {} or machine.calls[one.state] or {}) do
        for _, outcome in ipairs(fire(machine, one, event, nil, nil)) do
          if #outcome.sends == 0 then
            put(watched, worklist, after(one, outcome, one.taken, 1))
          end
        end
      end
    end
  end
end

local function replaced(watched, ones)
  watched.possible, watched.count = {}, 0
  local worklist = {}
  for _, one in ipairs(ones) do
    put(watched, worklist, one)
  end
  close(watched, worklist)
end

-- Every state, with nothing known of the variables.
local function anywhere(machine, taken)
  local ones = {}
  for state in pairs(machine.live) do
    table.insert(ones, { state = state, values = {}, terminated = false, pending = {}, taken = taken, guesses = 0 })
  end
  return ones
end

local function watch(machine, from_start)
  local watched = { machine = machine, inbox = {}, arrived = 0 }
  local initial = {
    state = machine.initial, values = copied(machine.initial_values), terminated = false, pending = {}, taken = 0,
    guesses = 0,
  }
  replaced(watched, from_start and { initial } or anywhere(machine, 0))
  return watched
end

-- The states that the machine is most likely in: those that took the fewest guesses.
local function states(watched)
  local least, found = math.huge, {}
  for _, one in pairs(watched.possible) do
    if #one.pending == 0 and one.guesses < least then
      least = one.guesses
    end
  end
  local latest = -1
  for _, one in pairs(watched.possible) do
    if #one.pending == 0 and one.guesses == least then
      latest = math.max(latest, one.taken)
    end
  end
  local names = {}
  for _, one in pairs(watched.possible) do
    if #one.pending == 0 and one.guesses == least and one.taken == latest and not found[one.state] then
      found[one.state] = true
      table.insert(names, one.state)
    end
  end
  table.sort(names)
  return #names > 0 and table.concat(names, " or ") or "busy"
end

local function receive(watched, event, fields)
  watched.arrived = watched.arrived + 1
  watched.inbox[watched.arrived] = { event = event, fields = fields }
  local worklist = {}
  for key, one in pairs(watched.possible) do
    if one.taken == watched.arrived - 1 then
      table.insert(worklist, one)
    elseif one.taken < watched.arrived - WINDOW then
      watched.possible[key] = nil
      watched.count = watched.count - 1
    end
  end
  watched.inbox[watched.arrived - WINDOW] = nil
  close(watched, worklist)
end

-- Whether some possibility sends the message next; if so, only what follows from those is possible now.
local function send(watched, seen)
  local machine, ones = watched.machine, {}
  for _, one in pairs(watched.possible) do
    if #one.pending > 0 then
      if agrees(one.pending[1], seen) then
        local rest = {}
        for index = 2, #one.pending do
          rest[index - 1] = one.pending[index]
        end
        table.insert(ones, {
          state = one.state, values = one.values, terminated = one.terminated, pending = rest, taken = one.taken,
          guesses = one.guesses,
        })
      end
    elseif not one.terminated then
      for _, event in ipairs(machine.calls[one.state] or {}) do
        for _, outcome in ipairs(fire(machine, one, event, nil, seen)) do
          if #outcome.sends > 0 and agrees(outcome.sends[1], seen) then
            table.remove(outcome.sends, 1)
            table.insert(ones, after(one, outcome, one.taken, 0))
          end
        end
      end
    end
  end
  if #ones == 0 and watched.lost then
    replaced(watched, anywhere(machine, watched.arrived))
    return true
  elseif #ones == 0 then
    return false
  end
  watched.lost = false
  local least = math.huge
  for _, one in ipairs(ones) do
    least = math.min(least, one.guesses)
  end
  for _, one in ipairs(ones) do
    one.guesses = one.guesses - least
  end
  replaced(watched, ones)
  return true
end

-- A session between a client and a server. `from_start` is false if the capture began later than the connection.
function Session.new(model, from_start)
  return { client = watch(model.client, from_start), server = watch(model.server, from_start) }
end

-- A message goes from `actor` to its peer. `fields` holds the values that matter. Returns whether that is legal, and
-- the states that the sender was in.
function Session.message(session, actor, message, fields)
  local peer = actor == "client" and "server" or "client"
  local before = states(session[actor])
  local legal = send(session[actor], { message = message, fields = fields })
  receive(session[peer], message, fields)
  return legal, before
end

-- Octets that are no message go from `actor` to its peer.
function Session.malformed(session, actor)
  local peer = session[actor == "client" and "server" or "client"]
  receive(peer, "malformed", {})
end

-- The likely states of both machines, as text.
function Session.states(session)
  return states(session.client), states(session.server)
end
