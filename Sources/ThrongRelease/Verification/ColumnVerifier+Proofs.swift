internal import ThrongPlan

/// Theorems 6 and 7, spelled out again from the page.
extension ColumnVerifier {
    /// The most events that k − 1 devices can have sent by the bound alone; nil where nobody knows in how many windows.
    func mostOfFew(_ windows: Int, bound: Int64) -> Int64? {
        if windows == 0 { return nil }
        return Int64(clamping: Int128(threshold - 1) * Int128(bound) * Int128(windows))
    }

    /// The same of two numbers together.
    func mostOfFew(_ one: Int, _ two: Int) -> Int64? {
        mostOfFew(windows(one, two).count, bound: bound(one, two))
    }

    private func windows(_ one: Int, _ two: Int) -> Set<Int64> {
        Set(numbers[one].windows.keys).union(numbers[two].windows.keys)
    }

    /// What an identifier adds to two numbers in a window: each metric takes as much as its own bound says.
    private func bound(_ one: Int, _ two: Int) -> Int64 {
        let (mine, its) = (numbers[one].intake.bound, numbers[two].intake.bound)
        return numbers[one].table == numbers[two].table ? mine : mine.addedClamped(its)
    }

    // MARK: Theorem 6

    /// Whether it takes k devices to send so many events, by what a number has beyond others.
    func isSent(_ value: Int64, from whole: Int, less parts: [Int]) -> Bool {
        let isComparable = parts.allSatisfy {
            numbers[$0].isCounted && numbers[$0].intake.rotation == numbers[whole].intake.rotation
        }
        let identifiers = numbers[whole].windows.map { window, devices -> Int128 in
            guard isComparable else { return 0 }
            let taken = parts.reduce(Int128(0)) { $0 + Int128(numbers[$1].windows[window]?.upperBound ?? 0) }
            return max(0, Int128(devices.lowerBound) - taken)
        }
        // A device that is in a part has an identifier in it, however long one lasts.
        let claimed =
            parts.allSatisfy { numbers[$0].isCounted }
            ? parts.reduce(Int128(numbers[whole].claimed)) { $0 - numbers[$1].mostDevices } : 0
        return isSent(value, identifiers, bound: numbers[whole].intake.bound, claimed: claimed)
    }

    /// The same of what two numbers have beyond a third, or in common.
    func isSent(_ value: Int64, from one: Int, _ two: Int, less third: Int) -> Bool {
        let boxes = [one, two, third].map { numbers[$0].box }
        // Where they differ in something that tells devices apart, nobody is counted twice.
        let axes = Set(weights.differences(boxes[0], boxes[2]) + weights.differences(boxes[1], boxes[2]))
        let isApart =
            axes.count == 1 && axes.allSatisfy { tellsDevicesApart[$0] }
            && Set([one, two, third].map { numbers[$0].intake.rotation }).count == 1 && numbers[third].isCounted
        let identifiers = windows(one, two).map { window -> Int128 in
            guard isApart else { return 0 }
            let least = [one, two].reduce(Int128(0)) { $0 + Int128(numbers[$1].windows[window]?.lowerBound ?? 0) }
            return max(0, least - Int128(numbers[third].windows[window]?.upperBound ?? 0))
        }
        return isSent(value, identifiers, bound: bound(one, two))
    }

    /// min(m·β·W, T − Σ max(0, D − m)) for m = k − 1 is the most that fewer than k devices have sent. Of D that proved themselves in a
    /// period all but m sent one each.
    private func isSent(_ value: Int64, _ identifiers: [Int128], bound: Int64, claimed: Int128 = 0) -> Bool {
        if identifiers.isEmpty { return false }
        let fewer = Int128(threshold - 1)
        let others = max(identifiers.reduce(0) { $0 + max(0, $1 - fewer) }, claimed - fewer)
        let most = max(0, min(fewer * Int128(bound) * Int128(identifiers.count), Int128(value) - others))
        return Int128(value) > most
    }

    // MARK: Theorem 7

    /// Whether in some window a cell has k identifiers more than all parts together with which it has events in common.
    ///
    /// Of a cell whose events the whole counts only as far as its bound goes, one device may be missing for each so many events
    /// of the parts.
    func isProved(_ value: Int64, of whole: Int, less parts: [Int], by near: [Int]) -> Bool {
        let own = numbers[whole]
        let events = parts.reduce(Int128(0)) { $0 + Int128(numbers[$1].value) }
        return near.contains { place in
            let proof = proofs[place]
            let isSure = proof.intake == own.intake
            guard isSure || own.holdsWindows && proof.intake.rotation == own.intake.rotation else { return false }
            let common = parts.filter { weights.meet(proof.box, numbers[$0].box) }
            guard
                common.allSatisfy({
                    numbers[$0].isCounted && numbers[$0].intake.rotation == proof.intake.rotation
                }), common.reduce(Int128(proof.value), { $0 - Int128(numbers[$1].value) }) <= Int128(value)
            else { return false }
            let missing = isSure ? 0 : events / Int128(own.intake.bound)
            let claimed = common.reduce(Int128(proof.claimed) - missing) { $0 - numbers[$1].mostDevices }
            if claimed >= Int128(threshold) { return true }
            return proof.windows.contains { window, devices in
                let taken = common.reduce(missing) { $0 + Int128(numbers[$1].windows[window]?.upperBound ?? 0) }
                return Int128(devices.lowerBound) - taken >= Int128(threshold)
            }
        }
    }

    /// Whether a cell of k devices, all of whose events are counted, is in what two numbers have beyond a third or in common.
    func isProved(_ value: Int64, of one: Int, _ two: Int, less third: Int) -> Bool {
        let (left, right) = (numbers[one], numbers[two])
        return proofs.contains { proof in
            guard proof.value <= value,
                weights.isIn(proof.box, left.box, and: right.box, less: numbers[third].box)
            else { return false }
            return [left, right].allSatisfy { proof.intake == $0.intake || !weights.meet(proof.box, $0.box) }
        }
    }
}
