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
