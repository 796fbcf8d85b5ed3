internal import ThrongFaults

extension ColumnVerifier {
    /// A look at what one number has beyond others, and beyond what two others have.
    struct Look {
        let verifier: ColumnVerifier
        let whole: Int
        /// The numbers that it holds.
        let inside: [Int]
        let deadline: ContinuousClock.Instant
        /// Columns that stand for too few.
        private(set) var faults = 0
        /// Whether time was over before all was looked at.
        private(set) var isOver = false
        /// The cells of k devices in the number, by events; nil as long as nobody asked.
        private var near: [Int]?
        private var steps = 0

        init(verifier: ColumnVerifier, whole: Int, inside: [Int], deadline: ContinuousClock.Instant) {
            self.verifier = verifier
            self.whole = whole
            self.inside = inside
            self.deadline = deadline
        }

        private var numbers: [Number] { verifier.numbers }
        private var weights: AtomWeights { verifier.weights }

        /// Looks at one number less, two less, whole groupings less; and at two numbers less this one.
        mutating func run() {
            let own = numbers[whole]
            for part in inside where numbers[part].table != own.table && isInTime {
                // Of two numbers about the same, the smaller is taken from the larger, once.
                if numbers[part].box == own.box, own.value < numbers[part].value { continue }
                judge([part])
            }
            let parts = inside.filter { numbers[$0].box != own.box }
            groupings(parts)
            guard numbers.count <= ColumnVerifier.mostOfTriples else { return }
            pairs(parts)
            covers()
        }

        /// Whether there is time for one more step.
        private var isInTime: Bool {
            mutating get {
                steps += 1
                if steps % 256 == 1, ContinuousClock().now >= deadline { isOver = true }
                return !isOver
            }
        }

        private mutating func judge(_ parts: [Int]) {
            guard numbers[whole].isFree || parts.contains(where: { numbers[$0].isFree }) else { return }
            let value = parts.reduce(numbers[whole].value) { $0.subtractedClamped(numbers[$1].value) }
            let others = parts.reduce(numbers[whole].others) { $0.subtractedClamped(numbers[$1].others) }
            if value == 0, !Fault.overlookUnproved.isOn,
                others > 0 || others < 0 && parts.allSatisfy({ numbers[$0].box == numbers[whole].box })
            {
                faults += 1
            }
            guard value > 0, !verifier.isSent(value, from: whole, less: parts) else { return }
            let near = proofs()
            if !verifier.isProved(value, of: whole, less: parts, by: near) { faults += 1 }
        }

        private mutating func proofs() -> [Int] {
            if let near { return near }
            let found = verifier.proofs.indices.filter {
                weights.holds(numbers[whole].box, verifier.proofs[$0].box)
            }
            near = found
            return found
        }

        /// Whole groupings, alone and with what others have besides. Of one metric alone they are the engine's.
        private mutating func groupings(_ parts: [Int]) {
            let families = Dictionary(grouping: parts, by: { numbers[$0].family }).sorted { $0.key < $1.key }.map(
                \.value)
            for family in families where family.count > 2 && isInTime {
                if numbers[family[0]].table != numbers[whole].table { judge(family) }
            }
            guard families.count > 1, families.count <= ColumnVerifier.mostFamilies else { return }
            for (place, family) in families.enumerated() {
                var all = family
                for (other, more) in families.enumerated() where other != place && isInTime {
                    let taken = all
                    all += more.filter { part in
                        taken.allSatisfy { !weights.meet(numbers[$0].box, numbers[part].box) }
                    }
                }
                guard !isOver, all.count > family.count, all.count > 2 else { continue }
                if all.contains(where: { numbers[$0].table != numbers[whole].table }) { judge(all) }
            }
        }

        /// Two parts. Only such as leave few events are looked at: more than k − 1 devices can have sent stand for k.
        private mutating func pairs(_ parts: [Int]) {
            let own = numbers[whole]
            let most = verifier.mostOfFew(own.windows.count, bound: own.intake.bound) ?? own.value
            let sorted = parts.sorted { (numbers[$0].value, $0) < (numbers[$1].value, $1) }
            let values = sorted.map { numbers[$0].value }
            for (place, one) in sorted.enumerated() {
                let left = own.value - values[place]
                // Of parts that come later, those that leave from 0 to so many: where proved ones leave none, others may.
                var next = max(place + 1, values.firstPlace { $0 >= left - most })
                while next < sorted.count, values[next] <= left, isInTime {
                    let two = sorted[next]
                    next += 1
                    guard numbers[one].table != own.table || numbers[two].table != own.table,
                        !weights.meet(numbers[one].box, numbers[two].box)
                    else { continue }
                    judge([one, two])
                }
                if isOver { return }
            }
        }

        /// Two numbers that have all of this one between them: what they have beyond it, and in common.
        private mutating func covers() {
            let third = numbers[whole]
            let near = numbers.indices.filter {
                $0 != whole && weights.meet(numbers[$0].box, third.box) && !weights.holds(numbers[$0].box, third.box)
            }.sorted { (numbers[$0].value, $0) < (numbers[$1].value, $1) }
            let values = near.map { numbers[$0].value }
            for (place, one) in near.enumerated() {
                var next = max(place + 1, values.firstPlace { $0 >= third.value - values[place] })
                while next < near.count, isInTime {
                    let two = near[next]
                    let value = values[place] + values[next] - third.value
                    next += 1
                    if let most = verifier.mostOfFew(one, two), value > most { break }
                    guard numbers[one].isFree || numbers[two].isFree || third.isFree,
                        numbers[one].table != third.table || numbers[two].table != third.table,
                        weights.isColumn(numbers[one].box, and: numbers[two].box, less: third.box),
                        value > 0
                            || !Fault.overlookUnproved.isOn && numbers[one].others + numbers[two].others > third.others,
                        value == 0 || !verifier.isSent(value, from: one, two, less: whole),
                        value == 0 || !verifier.isProved(value, of: one, two, less: whole)
                    else { continue }
                    faults += 1
                }
                if isOver { return }
            }
        }
    }
}

extension [Int64] {
    /// In ascending numbers, where those begin for which something holds.
    fileprivate func firstPlace(where holds: (Int64) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
