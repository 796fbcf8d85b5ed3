internal import ThrongPlan

extension BatchReader {
    /// Reads which firsts an event says it is: `{"METRIC": {"day": [[], ["os"]], "week": [[]]}}`, groupings by their
    /// dimensions.
    ///
    /// - Parameter firsts: node of an object; its masks go to `masks`, one a metric that counts the event.
    /// - Returns: false where a metric counts no firsts or not this event, a length of time is none of its, or a
    ///   grouping is none of its.
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
    /// The margin that keeps the dimensions that a list names; nil where it is no list of its dimensions.
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
    /// Where a length of time of that name is among the periods.
    fileprivate func place(ofPeriod name: UnsafeBufferPointer<UInt8>) -> Int? {
        periods.firstIndex { name.elementsEqual($0.rawValue.utf8) }
    }
}
