import ThrongPlan

@testable import ThrongIngest

/// What a checkpoint's parts say of windows, as WindowPart.swift has the format: without names that each process mixes in its own
/// way, without rows of nothing, and with periods instead of their numbers.
struct WindowContents: Equatable {
    struct Name: Hashable {
        let window: WindowNumber
        let kind: WindowPart.Kind
        let metric: LayoutID?
    }

    private(set) var slots: [Name: Set<[UInt64]>] = [:]
    var count: Int { slots.values.reduce(0) { $0 + $1.count } }

    init(of counting: Counting) {
        guard var walk = counting.walk() else { return }
        var periods: [Name: [UInt64]] = [:]
        var raw: [(name: Name, words: [[UInt64]])] = []
        while case .part(let part) = counting.next(of: &walk) {
            let bytes = part.bytes.dropFirst(WindowPart.headSize)
            let words = stride(from: bytes.startIndex, to: bytes.endIndex - bytes.count % 8, by: 8).map { start in
                bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
            let isOfMetric = [.progress, .progressPeriods].contains(part.kind)
            func name(_ kind: WindowPart.Kind) -> Name {
                Name(
                    window: part.window.number, kind: kind,
                    metric: isOfMetric ? counting.space.ids[part.metric] : nil)
            }
            switch part.kind {
            case .progressPeriods: periods[name(.progress)] = words
            // Positions and answers are compared by asking for them.
            case .head, .refusals, .batches: break
            case .pairs, .proved, .end: raw.append((name(part.kind), words.map { [$0] }))
            case .contributions, .progress: raw.append((name(part.kind), words.groups(of: 2)))
            case .withdrawn: raw.append((name(part.kind), words.groups(of: 4)))
            }
        }
        for (name, groups) in raw {
            let known = periods[name] ?? []
            for group in groups {
                switch name.kind {
                case .progress where group[1] >> 48 == 0: continue
                case .progress:
                    let period = known[Int(group[1] >> 32 & 0xFFFF)]
                    slots[name, default: []].insert([group[0], group[1] & 0xFFFF_FFFF, period, group[1] >> 48])
                default: slots[name, default: []].insert(group)
                }
            }
        }
    }
}

extension [UInt64] {
    fileprivate func groups(of size: Int) -> [[UInt64]] {
        stride(from: 0, to: count - count % size, by: size).map { Array(self[$0..<$0 + size]) }
    }
}
