nonisolated(unsafe) public var DEBUGTRACE = false
nonisolated(unsafe) var DBG: [String: Double] = [:]
func dbg(_ name: String, _ t: Duration? = nil) {
    DBG[name + "#", default: 0] += 1
    if let t { DBG[name, default: 0] += Double(t.components.attoseconds) / 1e18 + Double(t.components.seconds) }
}
