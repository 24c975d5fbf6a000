// Runs the scripts of a generated Open Stage Control session, with the app played by this file.
// Usage: node openstagecontrol.js FILE.json
const session = JSON.parse(require('fs').readFileSync(process.argv[2]))
const widgets = {}
;(function collect(widget) {
  if (widgets[widget.id]) throw new Error('two widgets are called ' + widget.id)
  widgets[widget.id] = {...widget, value: widget.default, locals: {}}
  for (const inner of [...(widget.widgets || []), ...(widget.tabs || [])]) collect(inner)
})(session.content)

let now = 1e12, timers = [], sent = []
const globals = {}
class FakeDate { static now() { return now } }

function run(id, property, value) {
  const widget = widgets[id]
  const name = key => id + '/' + key
  const clear = key => { timers = timers.filter(timer => timer.key !== name(key)) }
  const set = (other, next) => {
    if (!widgets[other]) throw new Error(id + ' sets ' + other + ', which is not there')
    widgets[other].value = next
  }
  const get = other => {
    if (!widgets[other]) throw new Error(id + ' reads ' + other + ', which is not there')
    return widgets[other].value
  }
  const send = (address, ...args) => sent.push({at: now, address, args: args.map(a => a.value ?? a)})
  const start = (key, callback, wait, every) => {
    clear(key)
    timers.push({key: name(key), callback, at: now + wait, every})
  }
  new Function('value', 'set', 'get', 'send', 'setTimeout', 'setInterval', 'clearTimeout',
    'clearInterval', 'globals', 'locals', 'Date', widget[property])(value, set, get, send,
    (key, callback, wait) => start(key, callback, wait, 0),
    (key, callback, wait) => start(key, callback, wait, wait), clear, clear, globals,
    widget.locals, FakeDate)
}

function receive(address, ...args) {
  for (const widget of Object.values(widgets)) {
    if (widget.address === address && widget.type === 'variable') {
      widget.value = args.length === 1 ? args[0] : args
      run(widget.id, 'onValue', widget.value)
    }
  }
}

function wait(milliseconds) {
  for (const end = now + milliseconds; now < end;) {
    now++
    for (const timer of timers.filter(timer => timer.at <= now)) {
      if (timer.every) timer.at += timer.every
      else timers = timers.filter(other => other !== timer)
      timer.callback()
    }
  }
}

function law(name, holds) {
  console.log((holds ? 'holds: ' : 'BROKEN: ') + name)
  if (!holds) process.exit(1)
}
const count = address => sent.filter(message => message.address === address).length

run('root', 'onCreate')
law('subscribes at load to state and beats', sent[0].address === '/tactus/subscribe'
  && sent[0].args.join() === 'state,beat')
wait(41000)
law('pings every 20 s', count('/tactus/ping') === 2)
wait(20000)
law('subscribes again when nothing was heard for 45 s', count('/tactus/subscribe') === 2)
receive('/tactus/tempo', 93.5, '1/4')
law('shows the tempo', widgets.tempo_value.value === '93.5' && widgets.tempo_fader.value === 93.5)
receive('/tactus/beat', 7, 1, 1, 3, 120, 4, 3, 0, {})
law('lights the lamp', widgets.lamp_3.value === 1)
wait(121)
law('darkens the lamp after 120 ms', widgets.lamp_3.value === 0)
receive('/tactus/pattern', 'X..x')
law('shows the pattern', widgets.beat_text_1.value === 'X' && widgets.beat_text_5.value === ' ')
sent = []
run('beat_2', 'onValue', 1)
run('beat_9', 'onValue', 1)
law('changes one beat of the pattern', sent.length === 1 && sent[0].args[0] === 'XX.x')
receive('/tactus/preset/list', ...Array.from({length: 30}, (_, index) => 'preset ' + (index + 1)))
run('slots_on', 'onValue', 1)
law('turns the page of presets', widgets.slot_text_1.value === 'preset 13')
sent = []
run('slot_2', 'onValue', 1)
law('loads the preset of a slot', sent[0].address === '/tactus/preset'
  && sent[0].args[0] === 'preset 14')
for (const [id, difference] of [['nudge_down', -1], ['nudge_down_fine', -0.1],
  ['nudge_up_fine', 0.1], ['nudge_up', 1]]) {
  sent = []
  const start = now
  run(id, 'onValue', 1)
  wait(1000)
  run(id, 'onValue', 0)
  wait(500)
  const at = sent.filter(message => message.address === '/tactus/tempo/nudge'
    && message.args[0] === difference).map(message => message.at - start)
  law(id + ' repeats', at.join(' ') === '0 400 500 600 700 800 900 1000')
}
run('ramp_to_up', 'onValue', 1)
run('ramp_to_up', 'onValue', 0)
run('ramp_minutes_10', 'onValue', 1)
sent = []
run('ramp_go', 'onValue', 1)
law('sends from, to, seconds, step', sent[0].address === '/tactus/ramp'
  && sent[0].args.join(' ') === '80 121 600 5')
receive('/tactus/ramp/progress', 95, 4, 9, 0.4, 179)
law('shows the progress of the trainer', widgets.ramp_bar.value === 0.4
  && widgets.ramp_left.value === '2:59')
run('tabs', 'onValue', 4)
law('turns the page', widgets.pages.value === 4)
