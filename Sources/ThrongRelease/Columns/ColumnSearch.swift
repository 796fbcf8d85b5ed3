internal import ThrongPlan

/// Looks for what can be computed from published numbers of several metrics and stands for fewer than k devices.
///
/// It looks at 0/1 columns over atoms (disclosure, L2): the difference of two numbers of which one holds the other; what two
/// numbers leave of a third; what two numbers that cover a third have beyond it or in common; and what whole groupings of one
/// or more metrics leave of a number. Of one metric alone they are ``SuppressionEngine``'s.
struct ColumnSearch {
    let space: AtomSpace
    let numbers: [KnownNumber]
    let proved: [ProvedCell]
    let threshold: Threshold
    /// When to stop.
    let deadline: ContinuousClock.Instant

    /// Numbers up to which any two are held against each third.
    static let mostOfTriples = 1_500
    /// Families inside a number up to which several of them are taken together.
    static let mostFamilies = 48

    /// The free numbers of each column that is open: one of each has to be held back. Nil where there was no time to look at
    /// all of them.
    ///
    /// - Complexity: O(numbers² · axes), and up to ``mostOfTriples`` numbers O(pairs within a number) for each.
    func open() -> Set<[Int]>? {
        var found: Set<[Int]> = []
        let free = numbers.indices.filter { numbers[$0].isFree }
        for whole in numbers.indices {
            guard ContinuousClock().now < deadline else { return nil }
            // What none of the release's own numbers take part in can't be helped.
            let isTouched =
                numbers[whole].isFree || free.contains { space.holds(numbers[whole].box, numbers[$0].box) }
            let inside =
                isTouched
                ? numbers.indices.filter { $0 != whole && space.holds(numbers[whole].box, numbers[$0].box) } : []
            let parts = inside.filter { numbers[$0].box != numbers[whole].box }
            let near = inside.isEmpty ? [] : proved.indices.filter { space.holds(numbers[whole].box, proved[$0].box) }
            let proofs = Proofs(
                sure: near.filter { proved[$0].intake == numbers[whole].intake },
                others: near.filter { proved[$0].intake != numbers[whole].intake })
            for part in inside where numbers[part].table != numbers[whole].table {
                note(whole, less: [part], proofs, &found)
            }
            pairs(of: parts, in: whole, proofs, &found)
            // What is still to come is known later: without it, too, nothing may be left that stands for too few.
            let present = parts.filter { !numbers[$0].isExpected }
            families(of: present, in: whole, proofs, &found)
            if present.count < parts.count { families(of: parts, in: whole, proofs, &found) }
            covers(of: whole, &found)
        }
        return ContinuousClock().now < deadline ? found : nil
    }

    /// Proved cells of which a number is about all.
    private struct Proofs {
        /// Those whose events it counts, all of them.
        let sure: [Int]
        /// Those of which its bound may have left something out.
        let others: [Int]
    }

    /// Two parts of a whole: what they leave of it.
    private func pairs(of parts: [Int], in whole: Int, _ proofs: Proofs, _ found: inout Set<[Int]>) {
        guard parts.count > 1, numbers.count <= Self.mostOfTriples else { return }
        // By part, a bit for each proof that has nothing in common with it.
        let free = parts.map { part in bits(proofs.sure) { space.isApart(proved[$0].box, numbers[part].box) } }
        for (index, one) in parts.enumerated() where ContinuousClock().now < deadline {
            for second in parts.indices.dropFirst(index + 1) {
                let two = parts[second]
                guard numbers[whole].isFree || numbers[one].isFree || numbers[two].isFree,
                    numbers[one].table != numbers[whole].table || numbers[two].table != numbers[whole].table
                else { continue }
                let value = numbers[whole].value - numbers[one].value - numbers[two].value
                guard value > 0 || all(of: whole, less: [one, two]) > 0,
                    value <= 0 || !isProved(value, by: proofs.sure, among: free[index], free[second]),
                    space.isApart(numbers[one].box, numbers[two].box)
                else { continue }
                note(whole, less: [one, two], proofs, &found)
            }
        }
    }

    /// What the numbers of a grouping leave of a whole, alone and with those of others.
    private func families(of parts: [Int], in whole: Int, _ proofs: Proofs, _ found: inout Set<[Int]>) {
        let families = Dictionary(grouping: parts) { numbers[$0].family }.sorted { $0.key < $1.key }.map(\.value)
        for family in families where family.count > 2 { note(whole, less: family, proofs, &found) }
        guard families.count > 1, families.count <= Self.mostFamilies else { return }
        for family in families where ContinuousClock().now < deadline {
            var all = family
            for other in families where other[0] != family[0] {
                all += other.filter { part in
                    all.allSatisfy { space.isApart(numbers[$0].box, numbers[part].box) }
                }
            }
            if all.count > max(2, family.count) { note(whole, less: all, proofs, &found) }
        }
    }

    /// Two numbers that have all of a third between them: what they have beyond it, and in common.
    private func covers(of third: Int, _ found: inout Set<[Int]>) {
        guard numbers.count <= Self.mostOfTriples else { return }
        var near: [Int: [Int]] = [:]
        for number in numbers.indices where number != third {
            guard let axis = space.onlyAxis(along: numbers[third].box, beyond: numbers[number].box) else { continue }
            near[axis, default: []].append(number)
        }
        for (axis, near) in near.sorted(by: { $0.key < $1.key }) {
            for (index, one) in near.enumerated() where ContinuousClock().now < deadline {
                for two in near.dropFirst(index + 1) {
                    guard numbers[one].isFree || numbers[two].isFree || numbers[third].isFree,
                        numbers[one].table != numbers[third].table || numbers[two].table != numbers[third].table,
                        space.union(numbers[one].box, numbers[two].box, holds: numbers[third].box, along: axis),
                        space.meeting(of: numbers[one].box, numbers[two].box, isIn: numbers[third].box)
                    else { continue }
                    noteCover(one, two, third, along: axis, &found)
                }
            }
        }
    }

    // MARK: Proofs

    /// What parts leave of a whole of the events of all identifiers.
    private func all(of whole: Int, less parts: [Int]) -> Int64 {
        parts.reduce(numbers[whole].everybody) { $0.subtractedClamped(numbers[$1].everybody) }
    }

    /// Notes what parts leave of a whole, unless it is nothing or stands for k devices. Where it is nothing of proved ones only,
    /// others are there.
    private func note(_ whole: Int, less parts: [Int], _ proofs: Proofs, _ found: inout Set<[Int]>) {
        guard let free = free(among: [whole] + parts) else { return }
        var value = parts.reduce(numbers[whole].value) { $0.subtractedClamped(numbers[$1].value) }
        let isSame = parts.count == 1 && numbers[parts[0]].box == numbers[whole].box
        // Of two numbers about the same, either may have counted something that the other did not.
        let (larger, others) = isSame && value < 0 ? (parts[0], [whole]) : (whole, parts)
        if isSame { value = Int64(clamping: value.magnitude) }
        if value <= 0 {
            let all = all(of: larger, less: others)
            if all > 0 || isSame && all < 0 { found.insert(free) }
            return
        }
        guard !isProved(value, of: larger, less: others, proofs),
            !isReached(
                value, bound: numbers[larger].intake.bound, identifiers(of: larger, less: others),
                proved: proved(numbers[larger].proved, less: others))
        else { return }
        found.insert(free)
    }

    /// The free numbers of a column, those that give way for what is to be released later; nil where there are none.
    private func free(among members: [Int]) -> [Int]? {
        let expected = members.filter { numbers[$0].isExpected }.map { numbers[$0].level }.min() ?? -1
        let free = members.filter { numbers[$0].isFree && numbers[$0].level > expected }
        return free.isEmpty ? nil : free.sorted()
    }

    /// Notes what two numbers have beyond a third, or in common.
    private func noteCover(_ one: Int, _ two: Int, _ third: Int, along axis: Int, _ found: inout Set<[Int]>) {
        let value = numbers[one].value.addedClamped(numbers[two].value).subtractedClamped(numbers[third].value)
        let all = numbers[one].everybody.addedClamped(numbers[two].everybody)
            .subtractedClamped(numbers[third].everybody)
        guard value > 0 || all > 0, let free = free(among: [one, two, third]) else { return }
        if value <= 0 {
            found.insert(free)
            return
        }
        let (left, right, taken) = (numbers[one].box, numbers[two].box, numbers[third].box)
        let (mine, its) = (numbers[one].intake, numbers[two].intake)
        let isKnown = proved.contains { cell in
            guard cell.value <= value else { return false }
            let isLeft = cell.intake == mine && space.holds(left, cell.box)
            let isRight = cell.intake == its && space.holds(right, cell.box)
            if isLeft && isRight { return true }
            let isWithin =
                isLeft || isRight
                || (cell.intake == mine && cell.intake == its && space.union(left, right, holds: cell.box, along: axis))
            return isWithin && space.isApart(cell.box, taken)
        }
        let identifiers = identifiers(of: one, two, less: third, along: axis)
        // Each metric takes as much of an identifier as its own bound says.
        let bound = numbers[one].table == numbers[two].table ? mine.bound : mine.bound.addedClamped(its.bound)
        guard !isKnown, !isReached(value, bound: bound, identifiers) else { return }
        found.insert(free)
    }

    /// Whether k devices of a cell are in what parts leave of a whole: in some window the cell has k identifiers more than the
    /// parts that it has events in common with.
    ///
    /// Of a cell whose events the whole counts only as far as its bound goes, a device may be missing that has come to the bound
    /// by the parts' events: one for each so many of them.
    private func isProved(_ value: Int64, of whole: Int, less parts: [Int], _ proofs: Proofs) -> Bool {
        if proofs.sure.contains(where: { isProved(value, less: parts, in: proved[$0], missing: 0) }) { return true }
        guard numbers[whole].holdsWindows else { return false }
        let events = parts.reduce(Int64(0)) { $0.addedClamped(numbers[$1].value) }
        return proofs.others.contains { proof in
            proved[proof].intake.rotation == numbers[whole].intake.rotation
                && isProved(value, less: parts, in: proved[proof], missing: events / numbers[whole].intake.bound)
        }
    }

    private func isProved(_ value: Int64, less parts: [Int], in cell: ProvedCell, missing: Int64) -> Bool {
        let common = parts.filter { !space.isApart(cell.box, numbers[$0].box) }
        let left = common.reduce(cell.value) { $0.subtractedClamped(numbers[$1].value) }
        guard left <= value,
            common.allSatisfy({ numbers[$0].intake.rotation == cell.intake.rotation && numbers[$0].most != nil })
        else { return false }
        if threshold.isReached(by: proved(cell.proved, less: common).subtractedClamped(missing)) { return true }
        return cell.least.contains { window, devices in
            let others = common.reduce(missing) { $0.addedClamped(numbers[$1].most?[window] ?? 0) }
            return threshold.isReached(by: devices.subtractedClamped(others))
        }
    }

    private func isProved(_ value: Int64, by proofs: [Int], among one: [UInt64], _ two: [UInt64]) -> Bool {
        for word in one.indices {
            var left = one[word] & two[word]
            while left != 0 {
                if proved[proofs[word * 64 + left.trailingZeroBitCount]].value <= value { return true }
                left &= left - 1
            }
        }
        return false
    }

    private func isReached(_ value: Int64, bound: Int64, _ identifiers: [Int64], proved: Int64 = 0) -> Bool {
        CountRule(events: value, identifiers: identifiers, bound: bound, proved: proved).isReached(threshold, by: value)
    }

    /// How many of some devices that proved themselves in a period at least are in none of some parts: a part has no more devices
    /// than identifiers.
    private func proved(_ devices: Int64, less parts: [Int]) -> Int64 {
        parts.reduce(devices) { $0.subtractedClamped(numbers[$1].mostDevices ?? .max) }
    }

    /// By window, how many identifiers at least are in a whole and in none of its parts.
    private func identifiers(of whole: Int, less parts: [Int]) -> [Int64] {
        let comparable = parts.allSatisfy {
            numbers[$0].intake.rotation == numbers[whole].intake.rotation && numbers[$0].most != nil
        }
        return numbers[whole].least.sorted { $0.key < $1.key }.map { window, devices in
            guard comparable else { return 0 }
            return max(0, parts.reduce(devices) { $0.subtractedClamped(numbers[$1].most?[window] ?? 0) })
        }
    }

    /// By window, how many identifiers at least two numbers have beyond a third, or in common: as many as the two have more than
    /// the third, where devices are told apart by what the numbers differ in.
    private func identifiers(of one: Int, _ two: Int, less third: Int, along axis: Int) -> [Int64] {
        let all = [one, two, third]
        let isKnown =
            space.arePartition(all.map { numbers[$0].box }, along: axis)
            && Set(all.map { numbers[$0].intake.rotation }).count == 1
        let windows = Set(numbers[one].least.keys).union(numbers[two].least.keys).sorted()
        return windows.map { window in
            guard isKnown, let most = numbers[third].most else { return 0 }
            let least = (numbers[one].least[window] ?? 0).addedClamped(numbers[two].least[window] ?? 0)
            return max(0, least.subtractedClamped(most[window] ?? 0))
        }
    }

    private func bits(_ proofs: [Int], where holds: (Int) -> Bool) -> [UInt64] {
        var bits = Array(repeating: UInt64(0), count: (proofs.count + 63) / 64)
        for (place, proof) in proofs.enumerated() where holds(proof) { bits[place >> 6] |= 1 << UInt64(place & 63) }
        return bits
    }
}
