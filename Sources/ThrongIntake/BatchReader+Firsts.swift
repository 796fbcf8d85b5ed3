internal import ThrongPlan

extension BatchReader {
    /// Reads which firsts an event says it is: `{"METRIC": {"day": [0, 2], "week": [0]}}`, places of groupings.
    ///
    /// - Parameter firsts: node of an object; its masks go to `masks`, one a metric that counts the event.
    /// - Returns: false where a metric counts no firsts or not this event, a length of time is none of its, or a place
    ///   is out of range.
    static func take(
        firsts: Int, of document: JSONDocument, event: EventTables, into masks: inout [FirstSet]
    ) -> Bool {
        masks.removeAll(keepingCapacity: true)
        masks.append(contentsOf: repeatElement(.none, count: event.metrics.count))
        var metric = firsts + 1
        for _ in 0..<document.count(firsts) {
            guard let asked = event.firsts, let known = asked.names[document.bytes(metric)],
                document.isObject(metric + 1)
            else { return false }
            let (place, layout) = asked.layouts[known]
            var period = metric + 2
            for _ in 0..<document.count(metric + 1) {
                guard let length = layout.place(ofPeriod: document.bytes(period)), document.isArray(period + 1) else {
                    return false
                }
                var grouping = period + 2
                for _ in 0..<document.count(period + 1) {
                    guard let number = document.integer(grouping), number >= 0,
                        number < Int64(layout.groupings.count)
                    else { return false }
                    masks[place].insert(layout.place(period: length, grouping: Int(number)))
                    grouping = document.next(grouping)
                }
                period = document.next(period + 1)
            }
            metric = document.next(metric + 1)
        }
        return true
    }
}

extension FirstsLayout {
    /// Where a length of time of that name is among the periods.
    fileprivate func place(ofPeriod name: UnsafeBufferPointer<UInt8>) -> Int? {
        periods.firstIndex { name.elementsEqual($0.rawValue.utf8) }
    }
}
