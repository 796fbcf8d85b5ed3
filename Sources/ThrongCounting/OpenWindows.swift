/// The windows of which batches may still come, each in a place of its own while it is open.
///
/// Most batches are of the same window as the one before, which is found without hashing its name.
struct OpenWindows: Sendable {
    /// Nil where a window is taken out, or a place is free.
    private var windows: [OpenWindow?] = []
    private var ids: [WindowID?] = []
    private var places: [WindowID: Int] = [:]
    private var recent = 0

    /// Every window that is here.
    var all: some Sequence<OpenWindow> { windows.lazy.compactMap { $0 } }

    /// Which they are.
    var open: some Collection<WindowID> { places.keys }

    var count: Int { places.count }

    func contains(_ id: WindowID) -> Bool { places[id] != nil }

    /// The place of a window; an empty one is opened where there is none.
    mutating func place(of id: WindowID) -> Int {
        if recent < ids.count, ids[recent] == id { return recent }
        if let known = places[id] {
            recent = known
        } else {
            recent = ids.firstIndex { $0 == nil } ?? ids.count
            if recent == ids.count {
                ids.append(id)
                windows.append(OpenWindow())
            } else {
                ids[recent] = id
                windows[recent] = OpenWindow()
            }
            places[id] = recent
        }
        return recent
    }

    /// Lends a window, so that it changes in place; ``putBack(_:at:)`` it before anything else is done here.
    mutating func takeOut(_ place: Int) -> OpenWindow {
        guard let window = windows[place].take() else { preconditionFailure("a window is lent once at a time") }
        return window
    }

    mutating func putBack(_ window: consuming OpenWindow, at place: Int) { windows[place] = window }

    /// Brings in what a replay left waiting.
    mutating func settle() {
        for place in windows.indices { windows[place]?.settle() }
    }

    /// Forgets windows; returns them.
    mutating func remove(where isOver: (WindowID, OpenWindow) -> Bool) -> [(id: WindowID, window: OpenWindow)] {
        var removed: [(WindowID, OpenWindow)] = []
        for place in ids.indices {
            guard let id = ids[place], windows[place].map({ isOver(id, $0) }) == true,
                let window = windows[place].take()
            else { continue }
            removed.append((id, window))
            places[id] = nil
            ids[place] = nil
        }
        return removed
    }
}
