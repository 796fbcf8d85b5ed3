internal import ThrongPlan

extension BatchReader {
    /// Reads the firsts that an event claims to be: `{"METRIC": {"day": [[], ["os"]], "week": [[]]}}`, groupings by their dimensions.
    ///
    /// - Parameter firsts: the node of an object; its masks go to `masks`, one a metric that counts the event.
    /// - Returns: false if a metric counts no firsts or not this event, or if it lacks a length of time or a grouping.
    static func take(firsts: Int, of document: JSONDocument, event: EventTables, into masks: inout [FirstSet]) -> Bool {
        masks.removeAll(keepingCapacity: true)
        masks.append(contentsOf: repeatElement(.none, count: event.metrics.count))
        var metric = firsts + 1
        for _ in 0..<document.count(firsts) {
            guard let asked = event.firsts, let known = asked.names[document.bytes(metric)],
                document.isObject(metric + 1)
            else { return false }
            let (place, layout) = (asked.metrics[known].place, asked.metrics[known].layout)
            var period = metric + 2
            for _ in 0..<document.count(metric + 1) {
                guard let length = layout.place(ofPeriod: document.bytes(period)), document.isArray(period + 1) else {
                    return false
                }
                var grouping = period + 2
                for _ in 0..<document.count(period + 1) {
                    guard let margin = asked.metrics[known].margin(named: grouping, in: document),
                        let number = layout.groupings.firstIndex(of: margin)
                    else { return false }
                    masks[place].insert(layout.place(period: length, grouping: number))
                    grouping = document.next(grouping)
                }
                period = document.next(period + 1)
            }
            metric = document.next(metric + 1)
        }
        return true
    }
}

extension EventFirsts.Asked {
    /// Returns the margin that keeps the dimensions in a list; nil if the node is not a list of its dimensions.
    fileprivate func margin(named list: Int, in document: JSONDocument) -> Margin? {
        guard document.isArray(list) else { return nil }
        var margin = Margin.total
        var name = list + 1
        for _ in 0..<document.count(list) {
            guard document.isString(name), let place = dimensions[document.bytes(name)] else { return nil }
            margin = margin.union(Margin(keeping: [place]))
            name = document.next(name)
        }
        return margin
    }
}

extension FirstsLayout {
    /// Returns the place of a length of time among the periods, by its name; nil if there is none.
    fileprivate func place(ofPeriod name: UnsafeBufferPointer<UInt8>) -> Int? {
        periods.firstIndex { name.elementsEqual($0.rawValue.utf8) }
    }
}
