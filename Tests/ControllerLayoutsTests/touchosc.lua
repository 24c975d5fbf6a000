-- Runs the scripts of a generated .tosc file under plain Lua 5.1, with the app played by this file.
-- Usage: touchosc.py FILE.tosc (which takes the scripts out and starts lua5.1 with this file)
local folder = arg[1]
local now, sent, nodes = 0, {}, {}

local function node(name)
  if nodes[name] == nil then
    nodes[name] = {name = name, values = {x = 0, touch = false, text = ''}, color = nil}
  end
  return nodes[name]
end

local root = node('tactus')
function root:findByName(name) return node(name) end

local function load_script(name, self)
  local env = setmetatable({
    self = self, root = root,
    getMillis = function() return now end,
    Color = function(r, g, b, a) return {r, g, b, a} end,
    sendOSC = function(message) table.insert(sent, {at = now, path = message[1], args = message[2]}) end,
  }, {__index = _G})
  local file = assert(io.open(folder .. '/' .. name .. '.lua'))
  local chunk = assert(loadstring(file:read('*a'), name))
  file:close()
  setfenv(chunk, env)()
  return env
end

local main = load_script('tactus', root)
function root:notify(key, value) main.onReceiveNotify(key, value) end

local function law(name, holds)
  print((holds and 'holds: ' or 'BROKEN: ') .. name)
  if not holds then os.exit(1) end
end

local function count(path)
  local n = 0
  for _, message in ipairs(sent) do if message.path == path then n = n + 1 end end
  return n
end

local function receive(path, ...)
  local arguments = {}
  for index, value in ipairs({...}) do arguments[index] = {tag = '?', value = value} end
  main.onReceiveOSC({path, arguments}, {})
end

local function wait(milliseconds, more)
  for _ = 1, milliseconds do
    now = now + 1
    main.update()
    if more ~= nil then more.update() end
  end
end

main.init()
law('subscribes at load with its port, for state and beats',
  sent[1].path == '/tactus/subscribe' and sent[1].args[1].value == 9000
  and sent[1].args[1].tag == 'i' and sent[1].args[2].value == 'state'
  and sent[1].args[3].value == 'beat')
wait(7000)
law('asks again every 2 s while nobody answers', count('/tactus/subscribe') == 4)
receive('/tactus/tempo', 93.5, '1/4')
law('shows the tempo', node('tempo_value').values.text == '93.5')
law('moves the tempo fader with it', math.abs(node('tempo_fader').values.x - 53.5 / 200) < 1e-9)
law('sends nothing back for what it received', count('/tactus/tempo') == 0)
sent = {}
for _ = 1, 60 do receive('/tactus/pong', 1) wait(1000) end
law('pings every 20 s', count('/tactus/ping') == 3)
law('does not subscribe again while it hears something', count('/tactus/subscribe') == 0)
wait(40000)
law('subscribes again after 30 s of silence', count('/tactus/subscribe') >= 5)

-- The daemon's clock is 5000 s ahead; the answer takes 4 ms each way.
receive('/tactus/pong')
sent = {}
while count('/tactus/sync') == 0 do wait(1) end
local asked = sent[#sent]
law('sends its instant in nanoseconds', asked.args[2].tag == 'd' and asked.args[2].value == asked.at * 1e6)
now = now + 4
local t2 = (now + 5000000) * 1e6
now = now + 4
receive('/tactus/sync', asked.args[1].value, asked.args[2].value, t2, t2)
local due = now + 83
receive('/tactus/beat', 7, 1, 1, 1, 120, 4, 3, 0, (due + 5000000) * 1e6)
wait(82)
law('keeps the lamp dark until the beat', node('lamp_1').color[1] < 0.3)
wait(1)
law('lights the lamp at the announced instant', node('lamp_1').color[1] == 1)
wait(122)
law('darkens the lamp after 120 ms', node('lamp_1').color[1] < 0.3)
receive('/tactus/beat', 7, 2, 1, 2, 120, 4, 2, 0, (now + 90 + 5000000) * 1e6)
receive('/tactus/beat/cancel', 7, 2)
wait(200)
law('lights no cancelled beat', node('lamp_2').color == nil or node('lamp_2').color[1] < 0.3)

receive('/tactus/meter', '7/8')
law('lights the meter in force only',
  node('meter_6').color[2] > node('meter_3').color[2])
receive('/tactus/pattern', 'X..x')
law('shows the pattern', node('beat_1_text').values.text == 'X' and node('beat_5_text').values.text == '')
sent = {}
main.onReceiveNotify('beat', 2)
law('changes one beat of the pattern', sent[1].path == '/tactus/pattern' and sent[1].args[1].value == 'XX.x')
main.onReceiveNotify('beat', 9)
law('changes no beat that the bar does not have', #sent == 1)
local names = {}
for index = 1, 30 do names[index] = 'preset ' .. index end
receive('/tactus/preset/list', unpack(names))
main.onReceiveNotify('turn', 1)
law('turns the page of presets', node('slot_1_text').values.text == 'preset 13')
sent = {}
main.onReceiveNotify('slot', 2)
law('loads the preset of a slot', sent[1].path == '/tactus/preset' and sent[1].args[1].value == 'preset 14')

for _, case in ipairs({{'nudge_down', -1}, {'nudge_down_fine', -0.1}, {'nudge_up_fine', 0.1}, {'nudge_up', 1}}) do
  local button = node(case[1])
  local script = load_script(case[1], button)
  sent = {}
  local start = now
  button.values.x = 1
  script.onValueChanged('x')
  wait(1000, script)
  button.values.x = 0
  script.onValueChanged('x')
  wait(500, script)
  local at = {}
  for _, message in ipairs(sent) do
    if message.path == '/tactus/tempo/nudge' and message.args[1].value == case[2] then
      table.insert(at, message.at - start)
    end
  end
  -- At once, after 400 ms, then each 100 ms until it was let go at 1000 ms.
  law(case[1] .. ' repeats', table.concat(at, ' ') == '0 400 500 600 700 800 900 1000')
end

node('ramp_from').values.text = '80'
node('ramp_to').values.text = '120'
node('ramp_seconds').values.text = '300'
node('ramp_step').values.text = '5'
local up = load_script('ramp_to_up', node('ramp_to_up'))
node('ramp_to_up').values.x = 1
up.onValueChanged('x')
law('steps a number of the trainer', node('ramp_to').values.text == '121')
local go = load_script('ramp_go', node('ramp_go'))
node('ramp_go').values.x = 1
sent = {}
go.onValueChanged('x')
law('sends from, to, seconds, step', sent[1].path == '/tactus/ramp' and sent[1].args[1].value == 80
  and sent[1].args[2].value == 121 and sent[1].args[3].value == 300 and sent[1].args[4].value == 5)
receive('/tactus/ramp/progress', 95, 4, 9, 0.4, 179.6)
law('shows the progress of the trainer', node('ramp_bar').values.x == 0.4
  and node('ramp_left').values.text == '3:00')

local fader = node('tempo_fader')
local script = load_script('tempo_fader', fader)
sent = {}
fader.values.x = 0.5
script.onValueChanged('x')
law('sends no tempo that no finger moved', #sent == 0)
fader.values.touch = true
script.onValueChanged('x')
law('sends the tempo of a finger', sent[1].path == '/tactus/tempo' and sent[1].args[1].value == 140)
