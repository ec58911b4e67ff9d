-- Sessions: what both machines may be doing, by what was seen on the wire.
--
-- A capture shows what is sent, and in which order; it does not show when a message is taken at the other end, nor the
-- timers and calls in between. So each machine is followed as a set of possibilities: a state, the variables that
-- matter, how much of what was sent to it has been taken, and what it still has to send. A message is legal if the
-- machine can get from one of them to a place where it sends it next. A value that cannot be known is nil, and a guard
-- that is nil may go either way; so an alarm is about something that the machine cannot do.
--
-- Mostly it does not matter whether a message is taken before something is sent or after. So a possibility takes no more
-- than what it sends requires, as long as taking the next message afterwards leads to the same place; what could still
-- be taken is looked at when something else is sent.
--
-- Numbers are Lua's: exact up to 2^53.

local Session = {}
local BEHIND_MAX = 4096 -- messages that a machine may be behind
local POSSIBILITIES_MAX = 8 -- that are kept: those that have taken least, and those that have taken most
local LOOKED_AT_MAX = 50000 -- before nothing is accused
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

-- Which calls of each state may send a message first, and which may send nothing.
local function prepare(machine)
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

-- What may follow without anything being sent: by taking the next message, or by a call or an event of the host's.
local function silently(watched, one, follow)
  local machine = watched.machine
  if #one.pending > 0 then
    return
  end
  local arrived = watched.inbox[one.taken + 1]
  if arrived and one.terminated then
    follow(after(one, { state = one.state, values = one.values, terminated = true, sends = {} }, one.taken + 1, 0))
  elseif arrived and not machine.deaf[one.state] then
    for _, outcome in ipairs(fire(machine, one, arrived.event, arrived.fields)) do
      follow(after(one, outcome, one.taken + 1, 0))
    end
  end
  for _, event in ipairs(one.terminated and {} or machine.quiet[one.state] or {}) do
    for _, outcome in ipairs(fire(machine, one, event, nil, nil)) do
      if #outcome.sends == 0 then
        follow(after(one, outcome, one.taken, 1))
      end
    end
  end
end

-- What is left of a possibility once it has sent `seen`; nothing if it does not.
local function sending(machine, one, seen, found)
  if #one.pending > 0 then
    if agrees(one.pending[1], seen) then
      local rest = {}
      for index = 2, #one.pending do
        rest[index - 1] = one.pending[index]
      end
      table.insert(found, {
        state = one.state, values = one.values, terminated = one.terminated, pending = rest, taken = one.taken,
        guesses = one.guesses,
      })
    end
  elseif not one.terminated then
    for _, call in ipairs(machine.sending[one.state] or {}) do
      local outcomes = {}
      if call.anything or call.names[seen.message] then
        outcomes = fire(machine, one, call.event, nil, seen)
      end
      for _, outcome in ipairs(outcomes) do
        if #outcome.sends > 0 and agrees(outcome.sends[1], seen) then
          table.remove(outcome.sends, 1)
          table.insert(found, after(one, outcome, one.taken, 0))
        end
      end
    end
  end
end

-- The possibilities, each once, by how much they have taken, and no more than may be kept.
local function sifted(machine, ones)
  local known, found = {}, {}
  local least = math.huge
  for _, one in ipairs(ones) do
    least = math.min(least, one.guesses)
  end
  table.sort(ones, function(one, other)
    if one.taken ~= other.taken then
      return one.taken < other.taken
    end
    return one.guesses < other.guesses
  end)
  for _, one in ipairs(ones) do
    local key = key_of(machine, one)
    if not known[key] then
      known[key] = true
      one.guesses = one.guesses - least
      table.insert(found, one)
    end
  end
  local half = POSSIBILITIES_MAX / 2
  while #found > POSSIBILITIES_MAX do
    table.remove(found, half + 1)
  end
  return found
end

-- Where the results of sending lead without anything else being sent.
local function reached(watched, results)
  local keys = {}
  local function note(one)
    keys[key_of(watched.machine, one)] = true
  end
  for _, one in ipairs(results) do
    silently(watched, one, note)
  end
  return keys
end

-- Looks from all possibilities for places where `seen` is sent next. nil: there is more than can be looked at.
local function search(watched, seen)
  local machine, found = watched.machine, {}
  local known, waiting, first = {}, {}, 1
  local function follow(one)
    local key = key_of(machine, one)
    if not known[key] then
      known[key] = true
      table.insert(waiting, one)
    end
  end
  local function follow_if_it_matters(keys)
    return function(one)
      local later = {}
      sending(machine, one, seen, later)
      local matters = #later == 0
      for _, result in ipairs(later) do
        matters = matters or not keys[key_of(machine, result)]
      end
      if matters then
        follow(one)
      end
    end
  end
  for _, one in ipairs(watched.possible) do
    follow(one)
  end
  while first <= #waiting do
    if first > LOOKED_AT_MAX then
      return nil
    end
    local one, results = waiting[first], {}
    waiting[first] = false
    first = first + 1
    sending(machine, one, seen, results)
    for _, result in ipairs(results) do
      table.insert(found, result)
    end
    silently(watched, one, #results == 0 and follow or follow_if_it_matters(reached(watched, results)))
  end
  return found
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
  local initial = {
    state = machine.initial, values = copied(machine.initial_values), terminated = false, pending = {}, taken = 0,
    guesses = 0,
  }
  return {
    machine = machine,
    inbox = {},
    arrived = 0,
    dropped = 0,
    possible = from_start and { initial } or anywhere(machine, 0),
    shown = from_start and initial or nil,
  }
end

-- A machine that is too far behind takes what it would not wait with so long.
local function catch_up(watched)
  local oldest = watched.arrived - BEHIND_MAX / 2
  local known, waiting, kept = {}, {}, {}
  local function follow(one)
    local key = key_of(watched.machine, one)
    if not known[key] then
      known[key] = true
      table.insert(one.taken >= oldest and kept or waiting, one)
    end
  end
  for _, one in ipairs(watched.possible) do
    follow(one)
  end
  while #waiting > 0 do
    silently(watched, table.remove(waiting), follow)
  end
  watched.possible = sifted(watched.machine, kept)
  for index = watched.dropped + 1, oldest do
    watched.inbox[index] = nil
  end
  watched.dropped = oldest
end

-- The likeliest state is that of a machine which takes everything at once, and to which nothing unseen happens.

local function taking(watched, one)
  while one and #one.pending == 0 and one.taken < watched.arrived do
    local arrived = watched.inbox[one.taken + 1]
    if one.terminated or arrived == nil or watched.machine.deaf[one.state] then
      return one
    end
    local outcomes = fire(watched.machine, one, arrived.event, arrived.fields)
    if #outcomes == 0 then
      return one
    end
    one = after(one, outcomes[#outcomes], one.taken + 1, 0) -- the last is the one in which no action fails
  end
  return one
end

local function show_sent(watched, seen)
  local found = {}
  if watched.shown then
    sending(watched.machine, watched.shown, seen, found)
  end
  local likeliest = found[1]
  for _, one in ipairs(likeliest and {} or watched.possible) do
    if likeliest == nil or one.guesses <= likeliest.guesses then
      likeliest = one
    end
  end
  watched.shown = taking(watched, likeliest)
end

local function state_of(watched)
  if watched.shown then
    return watched.shown.state
  end
  local names, found = {}, {}
  for _, one in ipairs(watched.possible) do
    if not found[one.state] then
      found[one.state] = true
      table.insert(names, one.state)
    end
  end
  table.sort(names)
  return table.concat(names, " or ")
end

local function receive(watched, event, fields)
  watched.arrived = watched.arrived + 1
  watched.inbox[watched.arrived] = { event = event, fields = fields }
  if watched.arrived - watched.dropped > BEHIND_MAX then
    catch_up(watched)
  end
  watched.shown = taking(watched, watched.shown)
end

-- Whether the machine can send the message next; if so, only what follows from that is possible now.
local function send(watched, seen)
  local ones = search(watched, seen)
  if ones == nil then
    watched.possible, watched.shown = anywhere(watched.machine, watched.arrived), nil
    return true
  elseif #ones == 0 then
    return false
  end
  watched.possible = sifted(watched.machine, ones)
  show_sent(watched, seen)
  return true
end

-- A session between a client and a server. `from_start` is false if the capture began later than the connection.
function Session.new(model, from_start)
  if model.client.quiet == nil then
    prepare(model.client)
    prepare(model.server)
  end
  return { client = watch(model.client, from_start), server = watch(model.server, from_start) }
end

-- A message goes from `actor` to its peer. `fields` holds the values that matter. Returns whether that is legal, and
-- the state that the sender was in.
function Session.message(session, actor, message, fields)
  local peer = actor == "client" and "server" or "client"
  local before = state_of(session[actor])
  local legal = send(session[actor], { message = message, fields = fields })
  receive(session[peer], message, fields)
  return legal, before
end

-- Octets that are no message go from `actor` to its peer.
function Session.malformed(session, actor)
  local peer = session[actor == "client" and "server" or "client"]
  receive(peer, "malformed", {})
end

-- The likely states of both machines.
function Session.states(session)
  return state_of(session.client), state_of(session.server)
end
