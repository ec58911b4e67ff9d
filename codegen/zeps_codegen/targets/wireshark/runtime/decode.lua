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
