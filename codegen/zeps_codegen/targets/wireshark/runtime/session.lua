-- Sessions: the possible states of both machines, according to the messages on the wire.
--
-- A capture shows the messages and their order; it does not show when the other end handles a message, nor the timers and
-- calls in between. So each machine is followed as a set of possibilities: a state, the relevant variables, the number
-- of handled messages, and the messages still to be sent. A message is legal if one of the possibilities leads to a
-- place where the machine sends it next. An unknown value is nil, and a guard that is nil may be true or false; so an
-- alarm is about a step that the machine cannot take.
--
-- Usually it does not matter whether a message is handled before or after something is sent. So a possibility handles only
-- the messages that its own sends require, as long as handling the next message later leads to the same place; messages
-- that could be handled too are considered when something else is sent.
--
-- Numbers are Lua numbers: exact up to 2^53.

local Session = {}
local BEHIND_MAX = 4096 -- the maximum number of unhandled messages of a machine
local ALIKE_MAX = 32 -- the maximum number of possibilities of one state; those with the fewest and the most handled messages are kept
local LOOKED_AT_MAX = 50000 -- the limit of a search, beyond which no alarm is raised
local NOTHING = {}

local function key_of(one)
  return one.at.key .. "\3" .. one.pending_key .. "\3" .. one.taken
end

local function possibility(at, pending, pending_key, taken, guesses)
  return { at = at, pending = pending, pending_key = pending_key, taken = taken, guesses = guesses }
end

local function after(one, outcome, taken, guesses)
  return possibility(outcome.configuration, outcome.sends, outcome.sends_key, taken, one.guesses + guesses)
end

-- The same possibility without the first of its pending messages.
local function without_first(one, at, sends, guesses)
  if #sends == 1 then
    return possibility(at, NOTHING, "", one.taken, guesses)
  end
  local rest = {}
  for index = 2, #sends do
    rest[index - 1] = sends[index]
  end
  return possibility(at, rest, Rows.sends_key(rest), one.taken, guesses)
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

-- A machine that is followed

-- The possibilities that follow without a sent message: by handling the next message, or by a call or a host event.
local function silently(watched, one, follow)
  local machine, at = watched.machine, one.at
  if #one.pending > 0 then
    return
  end
  local arrived = watched.inbox[one.taken + 1]
  if arrived and at.terminated then
    follow(possibility(at, NOTHING, "", one.taken + 1, one.guesses))
  elseif arrived and not machine.deaf[at.state] then
    for _, outcome in ipairs(Rows.fire(machine, at, arrived.message, arrived, nil)) do
      follow(after(one, outcome, one.taken + 1, 0))
    end
  end
  for _, event in ipairs(not at.terminated and machine.quiet[at.state] or NOTHING) do
    for _, outcome in ipairs(Rows.fire(machine, at, event, nil, nil)) do
      if #outcome.sends == 0 then
        follow(after(one, outcome, one.taken, 1))
      end
    end
  end
end

-- The possibilities that remain after `seen` was sent; empty if it cannot be sent.
local function sending(machine, one, seen, found)
  local at = one.at
  if #one.pending > 0 then
    if agrees(one.pending[1], seen) then
      table.insert(found, without_first(one, at, one.pending, one.guesses))
    end
    return
  end
  for _, call in ipairs(not at.terminated and machine.sending[at.state] or NOTHING) do
    if call.anything or call.names[seen.message] then
      for _, outcome in ipairs(Rows.fire(machine, at, call.event, nil, seen)) do
        if #outcome.sends > 0 and agrees(outcome.sends[1], seen) then
          table.insert(found, without_first(one, outcome.configuration, outcome.sends, one.guesses))
        end
      end
    end
  end
end

local function group_of(one)
  return one.at.state .. "\1" .. one.pending_key
end

-- The unique possibilities, ordered by the number of handled messages, limited for each state.
local function sifted(ones)
  local known, groups, found = {}, {}, {}
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
    local key, name = key_of(one), group_of(one)
    if not known[key] then
      known[key] = true
      one.guesses = one.guesses - least
      groups[name] = groups[name] or {}
      table.insert(groups[name], one)
    end
  end
  for _, group in pairs(groups) do
    for place, one in ipairs(group) do
      if place <= ALIKE_MAX / 2 or place > #group - ALIKE_MAX / 2 then
        table.insert(found, one)
      end
    end
  end
  return found
end

-- The possibilities that the results of sending lead to without another sent message.
local function reached(watched, results)
  local keys = {}
  local function note(one)
    keys[key_of(one)] = true
  end
  for _, one in ipairs(results) do
    silently(watched, one, note)
  end
  return keys
end

-- Searches from all possibilities for places where `seen` is sent next. Returns nil if the search exceeds its limit.
local function search(watched, seen)
  local machine, found = watched.machine, {}
  local known, waiting, first = {}, {}, 1
  local function follow(one)
    local key = key_of(one)
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
        matters = matters or not keys[key_of(result)]
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

-- Every state, with unknown variables.
local function anywhere(machine, taken)
  local ones = {}
  for state in pairs(machine.live) do
    table.insert(ones, possibility(Rows.configuration(machine, state, {}, false), NOTHING, "", taken, 0))
  end
  return ones
end

local function watch(machine, from_start)
  local values = Rows.copied(machine.initial_values)
  local initial = possibility(Rows.configuration(machine, machine.initial, values, false), NOTHING, "", 0, 0)
  return {
    machine = machine,
    inbox = {},
    arrived = 0,
    dropped = 0,
    possible = from_start and { initial } or anywhere(machine, 0),
    shown = from_start and initial or nil,
  }
end

-- Handles the messages of a machine that is too far behind.
local function catch_up(watched)
  local oldest = watched.arrived - BEHIND_MAX / 2
  local known, waiting, kept = {}, {}, {}
  local function follow(one)
    local key = key_of(one)
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
  watched.possible = sifted(kept)
  for index = watched.dropped + 1, oldest do
    watched.inbox[index] = nil
  end
  watched.dropped = oldest
end

-- The most likely state: the machine handles every message at once, and no invisible events occur.

local function taking(watched, one)
  while one and #one.pending == 0 and one.taken < watched.arrived do
    local arrived = watched.inbox[one.taken + 1]
    if one.at.terminated or arrived == nil or watched.machine.deaf[one.at.state] then
      return one
    end
    local outcomes = Rows.fire(watched.machine, one.at, arrived.message, arrived, nil)
    if #outcomes == 0 then
      return one
    end
    one = after(one, outcomes[#outcomes], one.taken + 1, 0) -- in the last outcome no action fails
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
    return watched.shown.at.state
  end
  local names, found = {}, {}
  for _, one in ipairs(watched.possible) do
    if not found[one.at.state] then
      found[one.at.state] = true
      table.insert(names, one.at.state)
    end
  end
  table.sort(names)
  return table.concat(names, " or ")
end

local function receive(watched, carried)
  watched.arrived = watched.arrived + 1
  watched.inbox[watched.arrived] = carried
  if watched.arrived - watched.dropped > BEHIND_MAX then
    catch_up(watched)
  end
  watched.shown = taking(watched, watched.shown)
end

-- Whether the machine can send the message next; if so, only the possibilities that follow remain.
local function send(watched, seen)
  local ones = search(watched, seen)
  if ones == nil then
    watched.possible, watched.shown = anywhere(watched.machine, watched.arrived), nil
    return true
  elseif #ones == 0 then
    return false
  end
  watched.possible = sifted(ones)
  show_sent(watched, seen)
  return true
end

-- A session between a client and a server. `from_start` is false if the capture begins later than the connection.
function Session.new(model, from_start)
  if model.client.quiet == nil then
    Rows.prepare(model.client)
    Rows.prepare(model.server)
  end
  return { client = watch(model.client, from_start), server = watch(model.server, from_start) }
end

-- Records a message from `actor` to its peer. `fields` has the relevant values. Returns whether the message is legal, and
-- the sender's state.
function Session.message(session, actor, message, fields)
  local peer = actor == "client" and "server" or "client"
  local before = state_of(session[actor])
  local carried = Rows.carried(message, fields)
  local legal = send(session[actor], carried)
  receive(session[peer], carried)
  return legal, before
end

-- Records a malformed message from `actor` to its peer.
function Session.malformed(session, actor)
  local peer = session[actor == "client" and "server" or "client"]
  receive(peer, Rows.carried("malformed", {}))
end

-- The most likely states of both machines.
function Session.states(session)
  return state_of(session.client), state_of(session.server)
end
