-- ZeroMQ Enterprise Publish-Subscribe (ZEPS) over ZMTP 3.x, for Wireshark and tshark. Generated from the models: change the models.
--
--   tshark -X lua_script:zeps.lua -r capture.pcapng -Y zeps
--   cp zeps.lua ~/.local/lib/wireshark/plugins/      for Wireshark
--
-- Connections are recognised by ZMTP's greeting, or by the port (preference zeps.port). Every field of every
-- message is a display filter: zeps.<message>.<field>. zeps.illegal marks a message that the
-- sender's machine cannot send at that point, zeps.malformed bytes that are not a message of the protocol.

-- Messages: decodes a ZeroMQ message to its fields, and reports the first error in it.
--
-- The checks have the same order and the same error codes as in every generated decoder. A number is a
-- pair of 32 bits, `hi` and `lo`, because Lua's own numbers hold 53.

local Decode = {}
local TWO32 = 4294967296

local function fail(reader, code)
  error({ code = code, message = reader.message, field = reader.field, at = reader.start, frame = reader.frame }, 0)
end

local function need(reader, count)
  if count > #reader.data - reader.at then
    fail(reader, "truncated")
  end
end

local function take(reader, count)
  need(reader, count)
  reader.at = reader.at + count
  return reader.data:sub(reader.at - count + 1, reader.at)
end

local function pair(octets, signed)
  local hi, lo = 0, 0
  for index = 1, #octets do
    local octet = octets:byte(index)
    hi = (hi * 256 + math.floor(lo / 16777216)) % TWO32
    lo = lo % 16777216 * 256 + octet
  end
  if signed and #octets > 0 and octets:byte(1) >= 128 then
    if #octets < 4 then
      lo = lo + TWO32 - 256 ^ #octets
    end
    if #octets < 8 then
      hi = TWO32 - 1
    end
  end
  return { hi = hi, lo = lo, signed = signed }
end

-- The number as a Lua number: exact up to 2^53, approximate beyond.
function Decode.plain(number)
  local hi = number.hi
  if number.signed and hi >= TWO32 / 2 then
    hi = hi - TWO32
  end
  return hi * TWO32 + number.lo
end

local function greater(number, limit)
  local hi, other = number.hi, limit.hi
  if number.signed then
    hi = hi >= TWO32 / 2 and hi - TWO32 or hi
    other = other >= TWO32 / 2 and other - TWO32 or other
  end
  return hi > other or (hi == other and number.lo > limit.lo)
end

local function within(number, mask)
  local function part(value, allowed)
    while value > 0 do
      if value % 2 == 1 and allowed % 2 == 0 then
        return false
      end
      value, allowed = math.floor(value / 2), math.floor(allowed / 2)
    end
    return true
  end
  return part(number.hi, mask.hi) and part(number.lo, mask.lo)
end

function Decode.key(number)
  return string.format("%.0f:%.0f", number.hi, number.lo)
end

local function limited(reader, number, field)
  if field.max and greater(number, field.max) then
    fail(reader, "too-long")
  end
  return number
end

local function limited_length(reader, count, field)
  return Decode.plain(limited(reader, { hi = math.floor(count / TWO32), lo = count % TWO32 }, field))
end

local function member(reader, number, field)
  local enumeration = field.enumeration
  if enumeration then
    local known = field.flags and within(number, enumeration.mask) or enumeration.names[Decode.key(number)] ~= nil
    if field.flags then
      known = within(number, enumeration.mask)
    end
    if not known then
      fail(reader, "bad-constant")
    end
  end
  return number
end

local function varint(reader, field)
  local hi, lo = 0, 0
  for index = 0, 9 do
    local octet = take(reader, 1):byte()
    local bits, shift = octet % 128, 7 * index
    if shift < 28 then
      lo = lo + bits * 2 ^ shift
    elseif shift == 28 then
      lo, hi = lo + bits % 16 * 2 ^ 28, math.floor(bits / 16)
    else
      hi = hi + bits * 2 ^ (shift - 32)
    end
    if octet < 128 then
      if hi >= TWO32 then
        fail(reader, "too-long")
      end
      if field.signed then
        local odd = lo % 2 == 1
        lo, hi = math.floor(lo / 2) + hi % 2 * 2 ^ 31, math.floor(hi / 2)
        if odd then
          lo, hi = TWO32 - 1 - lo, TWO32 - 1 - hi
        end
      end
      return { hi = hi, lo = lo, signed = field.signed }
    end
  end
  fail(reader, "too-long")
end

-- The character at `at`, and the offset of the next; nil if it is not UTF-8.
local function character(text, at)
  local first = text:byte(at)
  if first < 0x80 then
    return first, at + 1
  end
  local count, code, least
  if first >= 0xC2 and first < 0xE0 then
    count, code, least = 1, first - 0xC0, 0x80
  elseif first >= 0xE0 and first < 0xF0 then
    count, code, least = 2, first - 0xE0, 0x800
  elseif first >= 0xF0 and first < 0xF5 then
    count, code, least = 3, first - 0xF0, 0x10000
  else
    return nil
  end
  for index = at + 1, at + count do
    local octet = text:byte(index)
    if octet == nil or octet < 0x80 or octet > 0xBF then
      return nil
    end
    code = code * 64 + octet - 0x80
  end
  if code < least or code > 0x10FFFF or (code >= 0xD800 and code <= 0xDFFF) then
    return nil
  end
  return code, at + count + 1
end

local function text(reader, octets, class)
  local at = 1
  while class ~= "octets" and at <= #octets do
    local code
    code, at = character(octets, at)
    if code == nil then
      fail(reader, "bad-text")
    end
  end
  at = 1
  while (class == "printable" or class == "vchar") and at <= #octets do
    local code
    code, at = character(octets, at)
    local control = code < 0x20 or (code >= 0x7F and code <= 0x9F)
    if (class == "printable" and control) or (class == "vchar" and (code < 0x21 or code > 0x7E)) then
      fail(reader, "bad-text")
    end
  end
  return octets
end

local value

local function note(reader, field, found, from, content)
  table.insert(reader.items, {
    field = field,
    value = found,
    frame = reader.frame,
    from = from,
    size = reader.at - from,
    content = content,
  })
  return found
end

local function counted(reader, field)
  local length = limited(reader, pair(take(reader, field.size)), field)
  return take(reader, Decode.plain(length))
end

local function part(reader, size, field, role)
  local from = reader.at
  reader.start = from
  local found = text(reader, take(reader, Decode.plain(pair(take(reader, size)))), field.text)
  return note(reader, role and { part = role, of = field, type = "string" } or field, found, from)
end

local function count_of(reader, field, least, values)
  local count = field.count and values[field.count] or pair(take(reader, field.size))
  local items = Decode.plain(limited(reader, count, field))
  need(reader, items * least)
  return items
end

local readers = {
  number = function(reader, field)
    return member(reader, limited(reader, pair(take(reader, field.size), field.signed), field), field)
  end,
  varint = function(reader, field)
    return member(reader, limited(reader, varint(reader, field), field), field)
  end,
  string = function(reader, field)
    local found = text(reader, counted(reader, field), field.text)
    if field.enumeration and field.text ~= "octets" and not field.enumeration.texts[found] then
      fail(reader, "bad-constant")
    end
    return found
  end,
  chunk = counted,
  uuid = function(reader)
    return take(reader, 16)
  end,
  octets = function(reader, field, values)
    local length = field.length and Decode.plain(values[field.length]) or field.size
    return take(reader, limited_length(reader, length, field))
  end,
  rest = function(reader, field)
    return take(reader, limited_length(reader, #reader.data - reader.at, field))
  end,
}

-- Calls `turn` for each item of at least `least` bytes: as many as are counted, or until the end of the frame.
local function repeated(reader, field, least, values, turn)
  local from = reader.at
  if not field.open_ended then
    local items = count_of(reader, field, least, values)
    note(reader, { counts = field, type = "count" }, items, from)
    for _ = 1, items do
      turn()
    end
    return items
  end
  local items = 0
  while reader.at < #reader.data do
    reader.start = from
    items = limited_length(reader, items + 1, field)
    turn()
  end
  return items
end

local function list(reader, field, values)
  return repeated(reader, field, field.items and field.items.least or 4, values, function()
    if field.items then
      value(reader, field.items, values)
    else
      part(reader, 4, field)
    end
  end)
end

local function hash(reader, field, values)
  return repeated(reader, field, 5, values, function()
    part(reader, 1, field, "key")
    part(reader, 4, field, "value")
  end)
end

function value(reader, field, values)
  local from = reader.at
  reader.start = from
  if field.type == "list" or field.type == "strings" then
    return list(reader, field, values)
  elseif field.type == "hash" then
    return hash(reader, field, values)
  end
  local found = readers[field.type](reader, field, values)
  return note(reader, field, found, from, type(found) == "string" and #found or nil)
end

local function constant(reader, field)
  local found = reader.data:sub(reader.at + 1, reader.at + #field.constant)
  if found ~= field.constant then
    fail(reader, field.constant:sub(1, #found) == found and "truncated" or "bad-constant")
  end
  local from = reader.at
  reader.at = reader.at + #found
  local kind = field.type
  local plain = found
  if kind == "number" then
    plain = pair(found, field.signed)
  elseif kind == "varint" then
    plain = varint({ data = found, at = 0 }, field)
  elseif kind == "string" or kind == "chunk" then
    plain = found:sub(field.size + 1)
  end
  return note(reader, field, plain, from, type(plain) == "string" and #plain or nil)
end

local function by_constant(model, reader)
  local short = false
  for _, message in ipairs(model.by_length) do
    local beginning = message.beginning
    local found = reader.data:sub(1, #beginning)
    if found == beginning then
      return message
    end
    short = short or beginning:sub(1, #reader.data) == reader.data
  end
  fail(reader, short and "truncated" or "unknown-message")
end

local function dispatch(model, reader)
  if model.dispatch == "constant" then
    return by_constant(model, reader)
  end
  if model.dispatch == "signature" then
    if model.signature:sub(1, #reader.data) ~= reader.data:sub(1, 2) then
      fail(reader, "bad-signature")
    end
    take(reader, 2)
    note(reader, { special = "signature" }, nil, 0)
  end
  reader.start = reader.at
  local from, message = reader.at, nil
  if model.dispatch == "name" then
    message = model.by_name[take(reader, take(reader, 1):byte())]
  else
    message = model.by_id[take(reader, 1):byte()]
  end
  if message == nil then
    fail(reader, "unknown-message")
  end
  note(reader, { special = "id", message = message }, nil, from)
  if model.dispatch == "pubsub" then
    reader.message, reader.field, reader.start = message.name, "topic", reader.at
    local stop = reader.data:find("\0", reader.at + 1, true)
    if stop == nil then
      fail(reader, "truncated")
    end
    local begin = reader.at
    local topic = text(reader, take(reader, stop - 1 - begin), "utf-8")
    take(reader, 1)
    note(reader, { special = "topic" }, topic, begin)
  end
  return message
end

local function further_frames(reader, message, frames)
  local following = 2
  for _, field in ipairs(message.fields) do
    if field.type == "frame" or field.type == "msg" then
      reader.field, reader.start = field.name, reader.at
      if following > #frames then
        fail(reader, "truncated")
      end
      local last = field.type == "msg" and #frames or following
      for number = following, last do
        limited_length(reader, #frames[number], field)
        table.insert(reader.items, {
          field = field, value = frames[number], frame = number, from = 0, size = #frames[number], content = #frames[number],
        })
      end
      following = last + 1
    end
  end
  reader.field, reader.start = nil, reader.at
  if following <= #frames then
    fail(reader, "trailing")
  end
end

local function decode(model, reader, frames)
  local message = dispatch(model, reader)
  reader.message = message.name
  local values = {}
  for _, field in ipairs(message.fields) do
    if field.type ~= "frame" and field.type ~= "msg" then
      reader.field, reader.start = field.name, reader.at
      if field.default ~= nil and reader.at == #reader.data then
        values[field.name] = field.default
      else
        values[field.name] = field.constant and constant(reader, field) or value(reader, field, values)
      end
    end
  end
  reader.field, reader.start = nil, reader.at
  if reader.at < #reader.data and not message.extensible then
    fail(reader, "trailing")
  end
  further_frames(reader, message, frames)
  return { message = message, values = values }
end

-- Decodes the frames (strings): {message, values, items}, or {items, fault} with the items before the error.
function Decode.message(model, frames)
  local reader = { data = frames[1], at = 0, start = 0, frame = 1, items = {} }
  local fine, found = pcall(decode, model, reader, frames)
  if fine then
    found.items = reader.items
    return found
  elseif type(found) ~= "table" then
    error(found, 0)
  end
  return { items = reader.items, fault = found }
end

-- Builds lookup tables of the model's messages.
function Decode.prepare(model)
  model.by_id, model.by_name, model.by_length = {}, {}, {}
  for _, message in ipairs(model.messages) do
    model.by_id[message.id] = model.by_id[message.id] or message
    model.by_name[message.name] = model.by_name[message.name] or message
    table.insert(model.by_length, message)
  end
  table.sort(model.by_length, function(one, other)
    if #one.beginning ~= #other.beginning then
      return #one.beginning > #other.beginning
    end
    return one.place < other.place
  end)
end

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

-- ZMTP 3.x: a greeting of 64 bytes in each direction, then frames: commands, and parts of messages.

local Zmtp = {}
Zmtp.GREETING = 64

local COMMANDS = {
  READY = "metadata",
  INITIATE = "octets",
  HELLO = "octets",
  WELCOME = "octets",
  ERROR = "reason",
  SUBSCRIBE = "topic",
  CANCEL = "topic",
  PING = "ping",
  PONG = "context",
  MESSAGE = "octets",
}

local function length_of(octets)
  local length = 0
  for index = 1, #octets do
    length = length * 256 + octets:byte(index)
  end
  return length
end

local function padded(text)
  return (text:gsub("%z+$", ""))
end

-- The greeting at byte `at` of `data`: a table, or the number of missing bytes.
function Zmtp.greeting(data, at)
  local first, tenth = data:byte(at + 1), data:byte(at + 10)
  if first and first ~= 0xFF or tenth and tenth % 2 == 0 then
    return { kind = "broken", size = #data - at, fault = "not a greeting of ZMTP" }
  end
  local major = data:byte(at + 11)
  if major and major < 3 then
    return { kind = "broken", size = #data - at, fault = "ZMTP " .. major .. " is not supported" }
  end
  if #data - at < Zmtp.GREETING then
    return nil, Zmtp.GREETING - (#data - at)
  end
  return {
    kind = "greeting",
    size = Zmtp.GREETING,
    major = major,
    minor = data:byte(at + 12),
    mechanism = padded(data:sub(at + 13, at + 32)),
    as_server = data:byte(at + 33),
  }
end

local function properties(content)
  local found, at = {}, 0
  while at < #content do
    local name_size = content:byte(at + 1)
    local value_at = at + 1 + name_size + 4
    if value_at > #content then
      return found, "a property is truncated"
    end
    local size = length_of(content:sub(value_at - 3, value_at))
    if value_at + size > #content then
      return found, "a property is truncated"
    end
    table.insert(found, {
      name = content:sub(at + 2, at + 1 + name_size),
      value = content:sub(value_at + 1, value_at + size),
      from = at,
      size = value_at + size - at,
    })
    at = value_at + size
  end
  return found
end

local function command(pdu, body, from)
  pdu.kind = "command"
  local size = body:byte(1)
  if size == nil or 1 + size > #body then
    pdu.fault = "a command's name is truncated"
    return pdu
  end
  pdu.name = body:sub(2, 1 + size)
  pdu.what = COMMANDS[pdu.name]
  pdu.content, pdu.content_from = body:sub(2 + size), from + 1 + size
  if pdu.what == "metadata" then
    pdu.properties, pdu.fault = properties(pdu.content)
  elseif pdu.what == "reason" then
    local length = pdu.content:byte(1)
    if length == nil or length + 1 ~= #pdu.content then
      pdu.fault = "the reason's length does not match the command"
    end
  elseif pdu.what == "ping" and #pdu.content < 2 then
    pdu.fault = "a PING is truncated"
  elseif pdu.what == nil then
    pdu.fault = "no command is called so"
  end
  return pdu
end

function Zmtp.frame(data, at)
  local flags = data:byte(at + 1)
  if flags > 7 or flags >= 4 and flags % 2 == 1 then
    return { kind = "broken", size = #data - at, fault = "invalid flags of a frame" }
  end
  local long = flags % 4 >= 2
  local head = long and 9 or 2
  if #data - at < head then
    return nil, DESEGMENT_ONE_MORE_SEGMENT -- the rest of the head has the length
  end
  local size = length_of(data:sub(at + 2, at + head))
  if size >= 2 ^ 31 then
    return { kind = "broken", size = #data - at, fault = "the frame is too long" }
  end
  if #data - at < head + size then
    return nil, head + size - (#data - at)
  end
  local body = data:sub(at + head + 1, at + head + size)
  local pdu = { flags = flags, long = long, head = head, size = head + size, more = flags % 2 == 1 }
  if flags >= 4 then
    return command(pdu, body, at + head)
  end
  pdu.kind, pdu.body, pdu.body_from = "part", body, at + head
  return pdu
end

local protocol = Proto("zeps", "ZeroMQ Enterprise Publish-Subscribe (ZEPS)")

protocol.prefs.port = Pref.uint("TCP port", 5670, "The port of the server")

local fields = {
  pdu = ProtoField.string("zeps.zmtp", "ZMTP"),
  version = ProtoField.string("zeps.zmtp.version", "Version"),
  mechanism = ProtoField.string("zeps.zmtp.mechanism", "Mechanism"),
  as_server = ProtoField.bool("zeps.zmtp.as_server", "As server"),
  flags = ProtoField.uint8("zeps.zmtp.flags", "Flags", base.HEX),
  length = ProtoField.uint64("zeps.zmtp.length", "Length"),
  command = ProtoField.string("zeps.zmtp.command", "Command"),
  property = ProtoField.string("zeps.zmtp.property", "Property"),
  content = ProtoField.bytes("zeps.zmtp.content", "Content"),
  message = ProtoField.string("zeps.message", "Message"),
  signature = ProtoField.bytes("zeps.signature", "Signature"),
  id = ProtoField.uint8("zeps.id", "Id"),
  topic = ProtoField.string("zeps.topic", "Topic"),
  error = ProtoField.string("zeps.error", "Error"),
  actor = ProtoField.string("zeps.actor", "Sent by"),
  client = ProtoField.string("zeps.client", "Client"),
  server = ProtoField.string("zeps.server", "Server"),
}

local experts = {
  malformed = ProtoExpert.new("zeps.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
  illegal = ProtoExpert.new("zeps.illegal", "Illegal here", expert.group.PROTOCOL, expert.severity.ERROR),
}
protocol.experts = { experts.malformed, experts.illegal }

-- The enumerations
local enumerations = {
  ["ending code"] = {
    mask = { hi = 0, lo = 0 },
    names = {},
    members = {},
    texts = {
      malformed = true,
      ["unknown-command"] = true,
      ["no-session"] = true,
      ["routing-id"] = true,
      ["unsupported-protocol"] = true,
      ["unsupported-version"] = true,
      ["stream-name"] = true,
      ["stream-unavailable"] = true,
      ["too-many-sessions"] = true,
      stopping = true,
    },
  },
  ["open code"] = {
    mask = { hi = 0, lo = 0 },
    names = {},
    members = {},
    texts = {
      unexpected = true,
      ["bad-pattern"] = true,
      ["too-many-subscriptions"] = true,
      ["not-retained"] = true,
      ["beyond-end"] = true,
      retention = true,
      damage = true,
    },
  },
}

-- The fields of the messages
local of = {
  attach_protocol = ProtoField.string("zeps.attach.protocol", "protocol", base.UNICODE, "Constant \"ZEPS\""),
  attach_version = ProtoField.uint16("zeps.attach.version", "version", base.DEC, nil, nil, "Protocol version 1"),
  attach_stream = ProtoField.string("zeps.attach.stream", "stream", base.UNICODE, "Stream name"),
  subscribe_pattern = ProtoField.string("zeps.subscribe.pattern", "pattern", base.UNICODE, "Subscription pattern"),
  subscribe_latest = ProtoField.uint64("zeps.subscribe.latest", "latest", base.DEC, nil, nil, "Last known sequence"),
  credit_credit = ProtoField.uint64("zeps.credit.credit", "credit", base.DEC, nil, nil, "Credit, in octets"),
  publish_key = ProtoField.string("zeps.publish.key", "key", base.UNICODE, "Message routing key"),
  publish_body = ProtoField.bytes("zeps.publish.body", "body", base.NONE, "Message contents"),
  deliver_sequence = ProtoField.uint64("zeps.deliver.sequence", "sequence", base.DEC, nil, nil, "Sequenced per stream"),
  deliver_key = ProtoField.string("zeps.deliver.key", "key", base.UNICODE, "Message routing key"),
  deliver_body = ProtoField.bytes("zeps.deliver.body", "body", base.NONE, "Message contents"),
  invalid_reason = ProtoField.string("zeps.invalid.reason", "reason", base.UNICODE, "Printable explanation"),
}

protocol.fields = (function()
  local all = {}
  for _, group in ipairs({ fields, of }) do
    for _, field in pairs(group) do
      table.insert(all, field)
    end
  end
  return all
end)()

local model = {
  name = "zeps",
  title = "ZEPS",
  dispatch = "signature",
  signature = "\170\165",
  messages = {
    {
      name = "ATTACH",
      id = 1,
      place = 0,
      relevant = { "stream" },
      beginning = "",
      fields = {
        {
          name = "protocol",
          type = "string",
          size = 1,
          text = "printable",
          constant = "\004ZEPS",
          proto = of.attach_protocol,
        },
        {
          name = "version",
          type = "number",
          size = 2,
          text = "utf-8",
          constant = "\000\001",
          proto = of.attach_version,
        },
        { name = "stream", type = "string", size = 1, text = "printable", proto = of.attach_stream },
      },
    },
    { name = "ATTACH-OK", id = 2, place = 1, relevant = {}, beginning = "", fields = {} },
    {
      name = "SUBSCRIBE",
      id = 3,
      place = 2,
      relevant = {},
      beginning = "",
      fields = {
        { name = "pattern", type = "string", size = 1, text = "printable", proto = of.subscribe_pattern },
        { name = "latest", type = "number", size = 8, text = "utf-8", proto = of.subscribe_latest },
      },
    },
    { name = "SUBSCRIBE-OK", id = 4, place = 3, relevant = {}, beginning = "", fields = {} },
    {
      name = "CREDIT",
      id = 5,
      place = 4,
      relevant = { "credit" },
      beginning = "",
      fields = { { name = "credit", type = "number", size = 8, text = "utf-8", proto = of.credit_credit } },
    },
    {
      name = "PUBLISH",
      id = 6,
      place = 5,
      relevant = {},
      beginning = "",
      fields = {
        { name = "key", type = "string", size = 1, text = "printable", proto = of.publish_key },
        {
          name = "body",
          type = "chunk",
          size = 4,
          text = "utf-8",
          max = { hi = 0, lo = 16777216 },
          proto = of.publish_body,
        },
      },
    },
    {
      name = "DELIVER",
      id = 7,
      place = 6,
      relevant = { "()" },
      beginning = "",
      fields = {
        { name = "sequence", type = "number", size = 8, text = "utf-8", proto = of.deliver_sequence },
        { name = "key", type = "string", size = 1, text = "printable", proto = of.deliver_key },
        {
          name = "body",
          type = "chunk",
          size = 4,
          text = "utf-8",
          max = { hi = 0, lo = 16777216 },
          proto = of.deliver_body,
        },
      },
    },
    { name = "PING", id = 8, place = 7, relevant = {}, beginning = "", fields = {} },
    { name = "PING-OK", id = 9, place = 8, relevant = {}, beginning = "", fields = {} },
    { name = "DETACH", id = 10, place = 9, relevant = {}, beginning = "", fields = {} },
    { name = "DETACH-OK", id = 11, place = 10, relevant = {}, beginning = "", fields = {} },
    {
      name = "INVALID",
      id = 12,
      place = 11,
      relevant = {},
      beginning = "",
      fields = { { name = "reason", type = "string", size = 1, text = "printable", proto = of.invalid_reason } },
    },
  },
}
Decode.prepare(model)

do -- ZEPS client session
  local value = Value
  model.client = {
    initial = "start",
    names = { "credit", "pending", "unanswered", "unanswered_max", "stale", "stream" },
    initial_values = { credit = 0, pending = 0, unanswered = 0, unanswered_max = 3, stale = 0, stream = "" },
    live = {
      start = { unanswered_max = true, stale = true },
      attaching = { credit = true, pending = true, unanswered = true, unanswered_max = true, stale = true, stream = true },
      leaving = { unanswered_max = true, stale = true },
      open = { credit = true, pending = true, unanswered = true, unanswered_max = true, stale = true, stream = true },
      detaching = { unanswered_max = true },
    },
    deaf = {},
    calls = {
      start = { "open", "heartbeat", "expired" },
      attaching = { "expired", "close", "heartbeat" },
      leaving = { "expired", "heartbeat" },
      open = { "follow", "grant", "post", "probe", "heartbeat", "close", "expired" },
      detaching = { "expired", "heartbeat" },
    },
    carries = {},
    rows = {
      ["start"] = {
        ["open"] = {
          {
            steps = {
              { assign = "stream", value = function(v, m) return m["stream"] end },
              { assign = "credit", value = function(v, m) return 0 end },
              { assign = "pending", value = function(v, m) return 0 end },
              { assign = "unanswered", value = function(v, m) return 0 end },
              {
                send = "ATTACH",
                fields = { { name = "stream", value = function(v, m) return v["stream"] end, variable = "stream" } },
              },
            },
            next = "attaching",
            before_at = 1,
          },
        },
        ["DETACH"] = {
          { steps = { { send = "DETACH-OK", fields = {} } } },
        },
        ["malformed"] = {
          { steps = {} },
        },
        ["heartbeat"] = {
          { steps = {} },
        },
        ["expired"] = {
          { steps = {} },
        },
        ["ATTACH"] = {
          { steps = {} },
        },
        ["ATTACH-OK"] = {
          { steps = {} },
        },
        ["SUBSCRIBE"] = {
          { steps = {} },
        },
        ["SUBSCRIBE-OK"] = {
          { steps = {} },
        },
        ["CREDIT"] = {
          { steps = {} },
        },
        ["PUBLISH"] = {
          { steps = {} },
        },
        ["DELIVER"] = {
          { steps = {} },
        },
        ["PING"] = {
          { steps = {} },
        },
        ["PING-OK"] = {
          { steps = {} },
        },
        ["DETACH-OK"] = {
          { steps = {} },
        },
        ["INVALID"] = {
          { steps = {} },
        },
      },
      ["attaching"] = {
        ["ATTACH-OK"] = {
          {
            steps = { { assign = "stale", value = function(v, m) return 0 end } },
            next = "open",
            before_at = 1,
          },
        },
        ["INVALID"] = {
          { guard = function(v, m) return value.compare("==", v["stale"], 1) end, steps = {} },
          { steps = {}, next = "start", before_at = 0 },
        },
        ["DETACH"] = {
          { steps = { { send = "DETACH-OK", fields = {} } }, next = "start", before_at = 1 },
        },
        ["expired"] = {
          {
            steps = { { assign = "stale", value = function(v, m) return 0 end } },
            next = "start",
            before_at = 1,
          },
        },
        ["close"] = {
          { steps = {}, next = "leaving", before_at = 0 },
        },
        ["heartbeat"] = {
          { steps = {} },
        },
        ["malformed"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["PING"] = {
          { steps = { { send = "PING-OK", fields = {} } } },
        },
        ["ATTACH"] = {
          { steps = {} },
        },
        ["SUBSCRIBE"] = {
          { steps = {} },
        },
        ["SUBSCRIBE-OK"] = {
          { steps = {} },
        },
        ["CREDIT"] = {
          { steps = {} },
        },
        ["PUBLISH"] = {
          { steps = {} },
        },
        ["DELIVER"] = {
          { steps = {} },
        },
        ["PING-OK"] = {
          { steps = {} },
        },
        ["DETACH-OK"] = {
          { steps = {} },
        },
      },
      ["leaving"] = {
        ["ATTACH-OK"] = {
          { steps = { { send = "DETACH", fields = {} } }, next = "detaching", before_at = 1 },
        },
        ["INVALID"] = {
          { guard = function(v, m) return value.compare("==", v["stale"], 1) end, steps = {} },
          { steps = {}, next = "start", before_at = 0 },
        },
        ["DETACH"] = {
          { steps = { { send = "DETACH-OK", fields = {} } }, next = "start", before_at = 1 },
        },
        ["expired"] = {
          {
            steps = { { assign = "stale", value = function(v, m) return 0 end } },
            next = "start",
            before_at = 1,
          },
        },
        ["heartbeat"] = {
          { steps = {} },
        },
        ["malformed"] = {
          { steps = {} },
        },
        ["PING"] = {
          { steps = { { send = "PING-OK", fields = {} } } },
        },
        ["ATTACH"] = {
          { steps = {} },
        },
        ["SUBSCRIBE"] = {
          { steps = {} },
        },
        ["SUBSCRIBE-OK"] = {
          { steps = {} },
        },
        ["CREDIT"] = {
          { steps = {} },
        },
        ["PUBLISH"] = {
          { steps = {} },
        },
        ["DELIVER"] = {
          { steps = {} },
        },
        ["PING-OK"] = {
          { steps = {} },
        },
        ["DETACH-OK"] = {
          { steps = {} },
        },
      },
      ["open"] = {
        ["follow"] = {
          {
            steps = {
              { assign = "pending", value = function(v, m) return value.add(v["pending"], 1, 4294967295) end },
              { send = "SUBSCRIBE", fields = {} },
            },
          },
        },
        ["SUBSCRIBE-OK"] = {
          {
            guard = function(v, m) return value.compare(">", v["pending"], 0) end,
            steps = {
              {
                assign = "pending",
                value = function(v, m) return value.least(value.subtract(v["pending"], 1), 4294967295) end,
              },
            },
          },
          { steps = {}, next = "start", before_at = 0 },
        },
        ["grant"] = {
          {
            steps = {
              {
                assign = "credit",
                value = function(v, m) return value.add(v["credit"], m["octets"], 18446744073709551615) end,
              },
              {
                send = "CREDIT",
                fields = { { name = "credit", value = function(v, m) return m["octets"] end, parameter = "octets" } },
              },
            },
          },
        },
        ["DELIVER"] = {
          {
            guard = function(v, m) return value.compare(">=", v["credit"], m["()"]) end,
            steps = { { assign = "credit", value = function(v, m) return value.subtract(v["credit"], m["()"]) end } },
          },
          { steps = {}, next = "start", before_at = 0 },
        },
        ["post"] = {
          { steps = { { send = "PUBLISH", fields = {} } } },
        },
        ["probe"] = {
          {
            steps = {
              { assign = "unanswered", value = function(v, m) return value.add(v["unanswered"], 1, 255) end },
              { send = "PING", fields = {} },
            },
          },
        },
        ["heartbeat"] = {
          {
            guard = function(v, m) return value.compare(">=", v["unanswered"], v["unanswered_max"]) end,
            steps = { { assign = "stale", value = function(v, m) return 1 end } },
            next = "start",
            before_at = 1,
          },
          {
            steps = {
              { assign = "unanswered", value = function(v, m) return value.add(v["unanswered"], 1, 255) end },
              { send = "PING", fields = {} },
            },
          },
        },
        ["PING-OK"] = {
          { steps = { { assign = "unanswered", value = function(v, m) return 0 end } } },
        },
        ["INVALID"] = {
          { steps = { { raises = { "ended", "subscribe_refused" } } } },
        },
        ["ended"] = {
          {
            steps = {
              { assign = "stale", value = function(v, m) return 1 end },
              { assign = "credit", value = function(v, m) return 0 end },
              { assign = "pending", value = function(v, m) return 0 end },
              { assign = "unanswered", value = function(v, m) return 0 end },
              {
                send = "ATTACH",
                fields = { { name = "stream", value = function(v, m) return v["stream"] end, variable = "stream" } },
              },
            },
            next = "attaching",
            before_at = 1,
          },
        },
        ["subscribe_refused"] = {
          {
            guard = function(v, m) return value.compare(">", v["pending"], 0) end,
            steps = {
              {
                assign = "pending",
                value = function(v, m) return value.least(value.subtract(v["pending"], 1), 4294967295) end,
              },
            },
          },
          { steps = {} },
        },
        ["DETACH"] = {
          { steps = { { send = "DETACH-OK", fields = {} } }, next = "start", before_at = 1 },
        },
        ["close"] = {
          { steps = { { send = "DETACH", fields = {} } }, next = "detaching", before_at = 1 },
        },
        ["expired"] = {
          { steps = {} },
        },
        ["malformed"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["PING"] = {
          { steps = { { send = "PING-OK", fields = {} } } },
        },
        ["ATTACH"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["ATTACH-OK"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["SUBSCRIBE"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["CREDIT"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["PUBLISH"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["DETACH-OK"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
      },
      ["detaching"] = {
        ["DETACH-OK"] = {
          {
            steps = { { assign = "stale", value = function(v, m) return 0 end } },
            next = "start",
            before_at = 1,
          },
        },
        ["INVALID"] = {
          { steps = { { raises = { "ended", "subscribe_refused" } } } },
        },
        ["ended"] = {
          {
            steps = { { assign = "stale", value = function(v, m) return 1 end } },
            next = "start",
            before_at = 1,
          },
        },
        ["subscribe_refused"] = {
          { steps = {} },
        },
        ["expired"] = {
          {
            steps = { { assign = "stale", value = function(v, m) return 0 end } },
            next = "start",
            before_at = 1,
          },
        },
        ["heartbeat"] = {
          { steps = {} },
        },
        ["malformed"] = {
          { steps = {} },
        },
        ["ATTACH"] = {
          { steps = {} },
        },
        ["ATTACH-OK"] = {
          { steps = {} },
        },
        ["SUBSCRIBE"] = {
          { steps = {} },
        },
        ["SUBSCRIBE-OK"] = {
          { steps = {} },
        },
        ["CREDIT"] = {
          { steps = {} },
        },
        ["PUBLISH"] = {
          { steps = {} },
        },
        ["DELIVER"] = {
          { steps = {} },
        },
        ["PING"] = {
          { steps = {} },
        },
        ["PING-OK"] = {
          { steps = {} },
        },
        ["DETACH"] = {
          { steps = {} },
        },
      },
    },
  }
end

do -- ZEPS server session
  local value = Value
  model.server = {
    initial = "start",
    names = { "credit" },
    initial_values = { credit = 0 },
    live = { start = {}, open = { credit = true }, detaching = {} },
    deaf = {},
    calls = { start = {}, open = { "deliver", "heartbeat", "shutdown", "expired", "gap" }, detaching = { "expired" } },
    carries = { deliver = "DELIVER" },
    rows = {
      ["start"] = {
        ["ATTACH"] = {
          {
            guard = function(v, m) return value.compare("==", m["stream"], "") end,
            steps = { { send = "INVALID", fields = {} } },
          },
          {
            steps = {
              { assign = "credit", value = function(v, m) return 0 end },
              { raises = { "attach_refused" } },
              { send = "ATTACH-OK", fields = {} },
            },
            next = "open",
            before_at = 3,
          },
        },
        ["malformed"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["attach_refused"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["ATTACH-OK"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["SUBSCRIBE"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["SUBSCRIBE-OK"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["CREDIT"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["PUBLISH"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["DELIVER"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["PING"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["PING-OK"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["DETACH"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["DETACH-OK"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["INVALID"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
      },
      ["open"] = {
        ["ATTACH"] = {
          {
            guard = function(v, m) return value.compare("==", m["stream"], "") end,
            steps = { { send = "INVALID", fields = {} } },
            next = "start",
            before_at = 1,
          },
          {
            steps = {
              { assign = "credit", value = function(v, m) return 0 end },
              { raises = { "attach_refused" } },
              { send = "ATTACH-OK", fields = {} },
            },
          },
        },
        ["SUBSCRIBE"] = {
          { steps = { { raises = { "subscribe_refused" } }, { send = "SUBSCRIBE-OK", fields = {} } } },
        },
        ["CREDIT"] = {
          {
            steps = {
              {
                assign = "credit",
                value = function(v, m) return value.add(v["credit"], m["credit"], 18446744073709551615) end,
              },
            },
          },
        },
        ["PUBLISH"] = {
          { steps = {} },
        },
        ["deliver"] = {
          {
            guard = function(v, m) return value.compare(">=", v["credit"], m["()"]) end,
            steps = {
              { assign = "credit", value = function(v, m) return value.subtract(v["credit"], m["()"]) end },
              { send = "DELIVER", forward = true, fields = {} },
            },
          },
        },
        ["PING"] = {
          { steps = { { send = "PING-OK", fields = {} } } },
        },
        ["PING-OK"] = {
          { steps = {} },
        },
        ["DETACH"] = {
          { steps = { { send = "DETACH-OK", fields = {} } }, next = "start", before_at = 1 },
        },
        ["heartbeat"] = {
          { steps = { { send = "PING", fields = {} } } },
        },
        ["shutdown"] = {
          { steps = { { send = "DETACH", fields = {} } }, next = "detaching", before_at = 1 },
        },
        ["expired"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["malformed"] = {
          { steps = { { send = "INVALID", fields = {} } }, next = "start", before_at = 1 },
        },
        ["attach_refused"] = {
          { steps = { { send = "INVALID", fields = {} } }, next = "start", before_at = 1 },
        },
        ["subscribe_refused"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["gap"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["ATTACH-OK"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["SUBSCRIBE-OK"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["DELIVER"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["DETACH-OK"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
        ["INVALID"] = {
          { steps = { { send = "INVALID", fields = {} } } },
        },
      },
      ["detaching"] = {
        ["PUBLISH"] = {
          { steps = {} },
        },
        ["DETACH-OK"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["DETACH"] = {
          { steps = { { send = "DETACH-OK", fields = {} } }, next = "start", before_at = 1 },
        },
        ["expired"] = {
          { steps = {}, next = "start", before_at = 0 },
        },
        ["malformed"] = {
          { steps = { { send = "INVALID", fields = {} } }, next = "start", before_at = 1 },
        },
        ["ATTACH"] = {
          { steps = {} },
        },
        ["ATTACH-OK"] = {
          { steps = {} },
        },
        ["SUBSCRIBE"] = {
          { steps = {} },
        },
        ["SUBSCRIBE-OK"] = {
          { steps = {} },
        },
        ["CREDIT"] = {
          { steps = {} },
        },
        ["DELIVER"] = {
          { steps = {} },
        },
        ["PING"] = {
          { steps = {} },
        },
        ["PING-OK"] = {
          { steps = {} },
        },
        ["INVALID"] = {
          { steps = {} },
        },
      },
    },
  }
end

-- The dissector: connections, their state, and the tree.

local connections, remembered = {}, {}
local stream_of = Field.new("tcp.stream")

function protocol.init()
  connections, remembered = {}, {}
end

local SERVER_SOCKETS = { ROUTER = true, SERVER = true, REP = true, XPUB = true, PUB = true }

local function connection_of(pinfo)
  local stream = stream_of()
  local key = stream and stream.value or tostring(pinfo.src_port) .. tostring(pinfo.dst_port)
  if connections[key] == nil then
    connections[key] = { sides = {}, greetings = 0, certain = false }
  end
  local connection = connections[key]
  local here = tostring(pinfo.src) .. ":" .. pinfo.src_port
  if connection.sides[here] == nil then
    connection.sides[here] = { port = pinfo.src_port, parts = {}, greeted = false, broken = false }
  end
  return connection, connection.sides[here]
end

local function port_is_ours(port)
  return port == protocol.prefs.port
end

-- The client and the server: by socket type, by port, or else the side that was connected to is the server.
local function actor_of(connection, side)
  if side.actor then
    return side.actor
  end
  for _, one in pairs(connection.sides) do
    if one.actor then
      side.actor = one.actor == "client" and "server" or "client"
      return side.actor
    end
  end
  if side.socket then
    side.actor = SERVER_SOCKETS[side.socket] and "server" or "client"
  else
    side.actor = port_is_ours(side.port) and "server" or "client"
  end
  return side.actor
end

-- The values of a message that are relevant for the machines
local function relevant(found, octets)
  local fields = {}
  for _, name in ipairs(found.message.relevant) do
    local value = found.values[name]
    if name == "()" then
      value = octets
    elseif type(value) == "table" then
      value = Decode.plain(value)
    end
    fields[name] = value
  end
  return fields
end

local function judge(connection, side, record)
  if not model.client then
    return
  end
  if connection.session == nil then
    connection.session = Session.new(model, connection.greetings == 2)
  end
  local session, actor = connection.session, actor_of(connection, side)
  record.actor = actor
  if record.found.fault then
    Session.malformed(session, actor)
  else
    local octets = 0
    for _, frame in ipairs(record.frames) do
      octets = octets + #frame
    end
    record.legal, record.before = Session.message(session, actor, record.found.message.name,
      relevant(record.found, octets))
  end
  record.client, record.server = Session.states(session)
end

-- Interprets a PDU, once, in the order of the capture.
local function understand(connection, side, pdu)
  if pdu.kind == "greeting" then
    side.greeted = true
    connection.greetings = connection.greetings + 1
    pdu.label = "ZMTP greeting"
  elseif pdu.kind == "broken" then
    side.broken = true
    pdu.label = "Malformed ZMTP"
  elseif pdu.kind == "command" then
    pdu.label = "ZMTP " .. (pdu.name or "command")
    for _, property in ipairs(pdu.properties or {}) do
      if property.name:lower() == "socket-type" then
        side.socket = property.value
      end
    end
  else
    table.insert(side.parts, pdu.body)
    if pdu.more then
      pdu.label = "ZMTP part"
      return
    end
    pdu.frames, side.parts = side.parts, {}
    pdu.found = Decode.message(model, pdu.frames)
    if pdu.found.message then
      connection.certain = true
      pdu.label = pdu.found.message.name
      local only = pdu.found.message.fields
      if #only == 1 and only[1].type == "string" then -- its text is its only content
        pdu.label = pdu.label .. ": " .. pdu.found.items[#pdu.found.items].value
      end
    else
      pdu.label = connection.certain and "Malformed " .. model.title or "ZMTP message"
    end
    pdu.foreign = not connection.certain
    if connection.certain then
      judge(connection, side, pdu)
    end
  end
end

-- The tree

local function add_number(tree, field, range, value)
  if field.type ~= "varint" then
    return tree:add(field.proto, range)
  elseif field.signed then
    return tree:add(field.proto, range, Int64.new(value.lo, value.hi))
  end
  return tree:add(field.proto, range, UInt64.new(value.lo, value.hi))
end

local function add_special(tree, item, range, topic)
  if item.special == "signature" then
    tree:add(fields.signature, range)
  elseif item.special == "id" then
    tree:add(fields.id, range, item.message.id):append_text(" (" .. item.message.name .. ")")
  else
    tree:add(fields.topic, range, topic)
  end
end

local function flag_names(value, enumeration)
  local names = {}
  for _, member in ipairs(enumeration.members) do
    local bits = { hi = member.hi, lo = member.lo }
    local set = true
    for _, half in ipairs({ "hi", "lo" }) do
      local want, have = bits[half], value[half]
      while want > 0 do
        set = set and (want % 2 == 0 or have % 2 == 1)
        want, have = math.floor(want / 2), math.floor(have / 2)
      end
    end
    if set then
      table.insert(names, member.name)
    end
  end
  return table.concat(names, ", ")
end

local function add_item(tree, item, range_of)
  local field, value = item.field, item.value
  local range = range_of(item.frame, item.from, item.size)
  if field.special then
    return add_special(tree, field, range, value)
  elseif field.type == "count" then
    return item.size > 0 and tree:add(field.counts.count_proto, range, value)
  elseif field.part then
    return tree:add(field.of[field.part .. "_proto"], range, value)
  elseif type(value) == "table" then
    local added = add_number(tree, field, range, value)
    if field.enumeration then
      local name = field.flags and flag_names(value, field.enumeration) or field.enumeration.names[Decode.key(value)]
      added:append_text(" (" .. (name or "") .. ")")
    end
    return added
  elseif field.type == "string" or field.type == "strings" then
    return tree:add(field.proto, range, value)
  end
  return tree:add(field.proto, range_of(item.frame, item.from + item.size - item.content, item.content))
end

local function say_fault(tree, fault)
  local where = fault.message and (fault.field and fault.message .. "." .. fault.field or fault.message) or nil
  local text = fault.code .. (where and ": " .. where or "") .. " at byte " .. fault.at
  tree:add(fields.error, fault.code):set_generated()
  tree:add_proto_expert_info(experts.malformed, text)
end

local function add_message(tree, record, tvb)
  local views = {}
  local function range_of(frame, from, size)
    if frame == #record.frames then
      return tvb(record.body_from + from, size)
    end
    if views[frame] == nil then
      views[frame] = ByteArray.new(record.frames[frame], true):tvb("Frame " .. frame)
    end
    return views[frame](from, size)
  end
  local message = record.found.message
  local item = tree:add(protocol, tvb(record.body_from, #record.body), model.title .. " " .. record.label)
  if message then
    item:add(fields.message, message.name):set_generated()
  end
  for _, one in ipairs(record.found.items) do
    add_item(item, one, range_of)
  end
  if record.found.fault then
    say_fault(item, record.found.fault)
  end
  if record.client then
    item:add(fields.actor, record.actor):set_generated()
    item:add(fields.client, record.client):set_generated()
    item:add(fields.server, record.server):set_generated()
  end
  if record.legal == false then
    local text = "the " .. record.actor .. " cannot send " .. message.name .. " here: it is in " .. record.before
    item:add_proto_expert_info(experts.illegal, text)
  end
end

local function add_command(tree, record, tvb)
  if record.name then
    tree:add(fields.command, record.name):set_generated()
  end
  for _, property in ipairs(record.properties or {}) do
    local shown = property.name .. ": " .. property.value
    tree:add(fields.property, tvb(record.content_from + property.from, property.size), shown)
  end
  if record.what and record.what ~= "metadata" and #record.content > 0 then
    tree:add(fields.content, tvb(record.content_from, #record.content))
  end
end

local function add_pdu(tree, record, tvb, at)
  local branch = tree:add(fields.pdu, tvb(at, record.size), record.label)
  if record.kind == "greeting" then
    branch:add(fields.version, tvb(at + 10, 2), record.major .. "." .. record.minor)
    branch:add(fields.mechanism, tvb(at + 12, 20), record.mechanism)
    branch:add(fields.as_server, tvb(at + 32, 1), record.as_server ~= 0)
  elseif record.kind ~= "broken" then
    branch:add(fields.flags, tvb(at, 1))
    branch:add(fields.length, tvb(at + 1, record.head - 1), UInt64.new(record.size - record.head))
  end
  if record.kind == "command" then
    add_command(branch, record, tvb)
  elseif record.kind == "part" and record.found and not record.foreign then
    add_message(tree, record, tvb)
  elseif record.kind == "part" and #record.body > 0 then
    branch:add(fields.content, tvb(record.body_from, #record.body))
  end
  if record.fault then
    branch:add_proto_expert_info(experts.malformed, record.fault)
  end
end

-- A packet may contain several messages, and may be dissected in several parts.
local function say(pinfo, said)
  if #said == 0 then
    return
  end
  local text = table.concat(said, ", ")
  if tostring(pinfo.cols.protocol) == model.title then
    pinfo.cols.info:append(", " .. text)
  else
    pinfo.cols.protocol = model.title
    pinfo.cols.info = text
  end
end

-- One step along the stream: the record of the PDU at `at`, or the number of missing bytes.
local function next_pdu(connection, side, data, at, key)
  local record = remembered[key]
  if record then
    return record
  end
  if side.broken then
    return { kind = "broken", size = #data - at, label = "After malformed ZMTP" }
  end
  local missing
  if side.greeted then
    record, missing = Zmtp.frame(data, at)
  elseif data:byte(at + 1) == 0xFF then
    record, missing = Zmtp.greeting(data, at)
  else -- the capture begins after the greeting
    side.greeted = true
    record, missing = Zmtp.frame(data, at)
  end
  if record == nil then
    return nil, missing
  end
  understand(connection, side, record)
  remembered[key] = record
  return record
end

function protocol.dissector(tvb, pinfo, root)
  local connection, side = connection_of(pinfo)
  connection.certain = connection.certain or port_is_ours(pinfo.src_port) or port_is_ours(pinfo.dst_port)
  local data = tvb:raw()
  local tree = root:add(protocol, tvb())
  local at, said = 0, {}
  while at < #data do
    local key = pinfo.number .. ":" .. #data .. ":" .. at
    local record, missing = next_pdu(connection, side, data, at, key)
    if record == nil then
      pinfo.desegment_offset = at
      pinfo.desegment_len = missing
      break
    end
    table.insert(said, record.label)
    add_pdu(tree, record, tvb, at)
    at = at + record.size
  end
  say(pinfo, said)
  return #data
end

-- Recognises connections on other ports by their greeting.
local function heuristic(tvb, pinfo, root)
  if tvb:len() < 10 or tvb(0, 1):uint() ~= 0xFF or tvb(9, 1):uint() ~= 0x7F then
    return false
  end
  pinfo.conversation = protocol
  protocol.dissector(tvb, pinfo, root)
  return true
end

protocol:register_heuristic("tcp", heuristic)
DissectorTable.get("tcp.port"):add(protocol.prefs.port, protocol)

function protocol.prefs_changed()
  DissectorTable.get("tcp.port"):add(protocol.prefs.port, protocol)
end

