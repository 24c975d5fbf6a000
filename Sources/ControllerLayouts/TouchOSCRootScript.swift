/// The part of the root's script that is the same for every surface: staying subscribed, beat lamps
/// on the announced instants, readouts, pattern and presets.
enum TouchOSCRootScript {
  static let text = """
    local LAMPS = \(LayoutSurface.lampCount)
    local SLOTS = \(LayoutSurface.slotCount)
    -- Beats are announced so many milliseconds ahead where the clocks are not compared yet.
    local AHEAD = 100
    local known = {}
    local heardAt, askedAt, pingedAt = nil, nil, nil
    local pattern, presets, firstPreset = '', {}, 0
    local waiting, litAt = {}, nil
    local syncs, syncSent, syncAt, offset, bestDelay = 0, 0, nil, nil, nil

    local function control(name)
      if known[name] == nil then known[name] = root:findByName(name, true) end
      return known[name]
    end

    local function write(name, text)
      local label = control(name)
      if label ~= nil then label.values.text = text end
    end

    local function paint(name, c)
      local node = control(name)
      if node ~= nil then node.color = Color(c[1], c[2], c[3], c[4]) end
    end

    local function written(value, kind, unit)
      if value == nil then return '' end
      if kind == 'number' then return string.format('%.6g', value) .. unit end
      if kind == 'clock' then
        local seconds = math.max(0, math.floor(value + 0.5))
        return string.format('%d:%02d', math.floor(seconds / 60), seconds % 60)
      end
      return tostring(value)
    end

    local function showLamps(lit, accent)
      for lamp = 1, LAMPS do
        if lamp == lit then
          paint('lamp_' .. lamp, accent == 3 and {1, 0.85, 0.3, 1} or {0.35, 0.75, 1, 1})
        else
          paint('lamp_' .. lamp, {0.18, 0.12, 0.03, 1})
        end
      end
    end

    -- The daemon's clock minus ours, from the exchange with the least delay, as NTP does.
    local function sync()
      syncs = syncs + 1
      syncSent = getMillis()
      syncAt = syncSent + (syncs < 6 and 1000 or 20000)
      sendOSC({'/tactus/sync', {{tag='i', value=syncs}, {tag='d', value=syncSent * 1000000}}})
    end

    local function onSync(a)
      if a[1].value ~= syncs then return end
      local now = getMillis()
      local t2, t3 = a[3].value / 1000000, a[4].value / 1000000
      local delay = (now - syncSent) - (t3 - t2)
      if bestDelay == nil or delay <= bestDelay + 1 then
        bestDelay = delay
        offset = ((t2 - syncSent) + (t3 - now)) / 2
      else
        -- Two clocks drift apart: an old exchange loses its worth.
        bestDelay = bestDelay + 0.5
      end
    end

    local function onBeat(a)
      local at = getMillis() + AHEAD
      if offset ~= nil then
        local due = a[9].value / 1000000 - offset
        if math.abs(due - getMillis()) < 3000 then at = due end
      end
      table.insert(waiting, {at = at, sequence = a[2].value, beat = a[4].value, accent = a[7].value})
    end

    local function onCancel(a)
      for index = #waiting, 1, -1 do
        if waiting[index].sequence >= a[2].value then table.remove(waiting, index) end
      end
    end

    local function onPattern(a)
      pattern = a[1].value
      for beat = 1, LAMPS do write('beat_' .. beat .. '_text', string.sub(pattern, beat, beat)) end
    end

    local function showSlots()
      for slot = 1, SLOTS do write('slot_' .. slot .. '_text', presets[firstPreset + slot] or '') end
    end

    local function onPresets(a)
      presets = {}
      for index = 1, #a do presets[index] = a[index].value end
      if firstPreset >= #presets then firstPreset = 0 end
      showSlots()
    end

    local NEXT = {['X'] = 'x', ['x'] = '-', ['-'] = '.', ['.'] = 'X'}

    function onReceiveNotify(key, value)
      if key == 'beat' then
        local letter = NEXT[string.sub(pattern, value, value)]
        if letter == nil then return end
        local changed = string.sub(pattern, 1, value - 1) .. letter .. string.sub(pattern, value + 1)
        sendOSC({'/tactus/pattern', {{tag='s', value=changed}}})
      elseif key == 'slot' then
        local name = presets[firstPreset + value]
        if name ~= nil then sendOSC({'/tactus/preset', {{tag='s', value=name}}}) end
      elseif key == 'turn' then
        local first = firstPreset + value * SLOTS
        if first >= 0 and first < #presets then firstPreset = first end
        showSlots()
      end
    end

    local special = {
      ['/tactus/beat'] = onBeat, ['/tactus/beat/cancel'] = onCancel, ['/tactus/sync'] = onSync,
      ['/tactus/pattern'] = onPattern, ['/tactus/preset/list'] = onPresets,
    }

    function onReceiveOSC(message, connections)
      local path, a = message[1], message[2]
      if string.sub(path, 1, 8) ~= '/tactus/' then return false end
      heardAt = getMillis()
      if special[path] ~= nil then special[path](a) end
      for _, row in ipairs(readouts[path] or {}) do
        if a[row[2]] ~= nil then write(row[1], written(a[row[2]].value, row[3], row[4])) end
      end
      for _, row in ipairs(choices[path] or {}) do
        if a[1] ~= nil then paint(row[1], a[1].value == row[2] and row[3] or row[4]) end
      end
      for _, row in ipairs(bars[path] or {}) do
        local bar = control(row[1])
        if bar ~= nil and a[row[2]] ~= nil and not bar.values.touch then
          local share = (a[row[2]].value - row[3]) / (row[4] - row[3])
          bar.values.x = math.max(0, math.min(1, share))
        end
      end
      return false
    end

    function init()
      showLamps(0, 0)
      subscribe()
      askedAt = getMillis()
      pingedAt = askedAt
    end

    function update()
      local now = getMillis()
      if pingedAt ~= nil and now - pingedAt >= 20000 then
        ping()
        pingedAt = now
      end
      -- Nobody there yet, or a daemon that was started anew and does not know us.
      local silence = now - (heardAt or -100000)
      if askedAt ~= nil and silence > 30000 and now - askedAt >= 2000 then
        subscribe()
        askedAt = now
      end
      if heardAt ~= nil and (syncAt == nil or now >= syncAt) then sync() end
      for index = #waiting, 1, -1 do
        local due = waiting[index]
        if now >= due.at then
          table.remove(waiting, index)
          showLamps((due.beat - 1) % LAMPS + 1, due.accent)
          litAt = now
        end
      end
      if litAt ~= nil and now - litAt > 120 then
        showLamps(0, 0)
        litAt = nil
      end
    end
    """
}
