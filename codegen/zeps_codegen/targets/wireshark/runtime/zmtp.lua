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
