internal import ThrongPlan

extension TiedMeeting {
    /// What can be computed: by buckets of either dimension or of any that is made of it, by all other shared dimensions and
    /// by none, in any run of stretches.
    ///
    /// - Complexity: O(stretches and buckets of the other dimensions · meetings that tell something · runs · faces), none
    ///   where the one's buckets lie in the other's and both count the same events.
    func cells(runs: [Set<Int>], rests: TiedBoard.Rests) -> [Cell] {
        let certain = Set(edges.filter { isCounted($0) || isDifference($0) })
        let subsets = others.isEmpty ? [[]] : [others, []]
        let contexts = Set(sides.whole.keys).union(sides.part.keys).sorted()
        var cells: [Cell] = []
        for (faceOfWhole, first) in faces.whole.enumerated() {
            for (faceOfPart, second) in faces.part.enumerated() {
                let pairs = Pairs(edges, first, second)
                let telling = pairs.telling(isAll: isAll, isBase: faceOfWhole == 0 && faceOfPart == 0, certain)
                if telling.isEmpty { continue }
                for axes in subsets {
                    let devices = Devices(self, first, second, axes, runs)
                    for (run, stretches) in runs.enumerated() {
                        let places = Dictionary(
                            grouping: contexts.filter { stretches.contains($0.stretch) },
                            by: { axes.isEmpty ? [] : $0.buckets })
                        for (values, places) in places.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                            let group = TiedDevices.Group(run: run, values: values)
                            cells += telling.map { bucket, own in
                                cell(bucket, own, pairs, places, rests, first) {
                                    devices.identifiers(of: $0, pairs, group)
                                }
                            }
                        }
                    }
                }
            }
        }
        return cells
    }

    /// What can be told of one bucket of the whole, or of one that is made of its buckets.
    private func cell(
        _ bucket: Int, _ telling: [Edge], _ pairs: Pairs, _ places: [TiedShare.Key], _ rests: TiedBoard.Rests,
        _ face: [Int], identifiers: (Edge) -> (common: [Int64], besides: [Int64])
    ) -> Cell {
        var cell = Cell()
        func leaves(of edges: [Edge]) -> [UInt32] {
            Set(places.flatMap { place in edges.flatMap { self.leaves(of: $0, place) } }).sorted()
        }
        for pair in telling {
            let known = identifiers(pair)
            cell.windows = known.common.map { _ in 0 }
            if isAll {
                cell.pieces.append((leaves(of: pairs.edges[pair] ?? []), known.common))
            } else if let beyond = rest(of: bucket, face, places, rests) {
                let besides = (pairs.ofWhole[bucket] ?? []).filter { $0 != pair }.flatMap { pairs.edges[$0] ?? [] }
                cell.pieces.append((Set(beyond + leaves(of: besides)).sorted(), known.besides))
            }
        }
        cell.pieces.removeAll(where: \.leaves.isEmpty)
        return cell
    }

    /// What the whole has beyond its part in a bucket; nil where that is known for several of its buckets together only.
    private func rest(
        of bucket: Int, _ face: [Int], _ places: [TiedShare.Key], _ rests: TiedBoard.Rests
    ) -> [UInt32]? {
        let classes = share.dimensions[place].classes[whole]
        let inside = face.indices.filter { face[$0] == bucket && classes[$0] >= 0 }
        let numbers = Set(inside.map { classes[$0] })
        guard classes.indices.allSatisfy({ !numbers.contains(classes[$0]) || face[$0] == bucket }) else { return nil }
        return places.flatMap { context in
            numbers.sorted().flatMap { number in
                var buckets = context.buckets
                buckets.insert(number, at: place)
                return rests[TiedShare.Key(stretch: context.stretch, buckets: buckets)] ?? []
            }
        }
    }
}

extension TiedMeeting {
    /// Which buckets meet where either dimension is shown as one of its faces.
    private struct Pairs {
        /// By pair of shown buckets: the pairs of base buckets in it.
        private(set) var edges: [Edge: [Edge]] = [:]
        /// By shown bucket of the whole, ascending.
        private(set) var ofWhole: [Int: [Edge]] = [:]
        /// By shown bucket of the part, ascending.
        private(set) var ofPart: [Int: [Edge]] = [:]

        init(_ all: [Edge], _ first: [Int], _ second: [Int]) {
            for edge in all {
                edges[Edge(whole: first[edge.whole], part: second[edge.part]), default: []].append(edge)
            }
            ofWhole = Dictionary(grouping: edges.keys.sorted(), by: \.whole)
            ofPart = Dictionary(grouping: edges.keys.sorted(), by: \.part)
        }

        /// By shown bucket of the whole, its pairs that are no cell of either metric's own.
        ///
        /// - Parameters:
        ///   - isAll: whether the whole counts nothing else.
        ///   - isBase: whether both dimensions are shown as they are: then what a whole bucket has beyond the same one is
        ///     looked at with the rests.
        func telling(isAll: Bool, isBase: Bool, _ certain: Set<Edge>) -> [(bucket: Int, own: [Edge])] {
            ofWhole.sorted { $0.key < $1.key }.compactMap { bucket, own in
                let found = own.filter { pair in
                    let holdsPart = ofPart[pair.part]?.count == 1
                    let isTelling = isAll ? !holdsPart && own.count > 1 : holdsPart && !(isBase && own.count == 1)
                    return isTelling && (edges[pair] ?? []).allSatisfy(certain.contains)
                }
                return found.isEmpty ? nil : (bucket, found)
            }
        }
    }

    /// How many identifiers at least stand behind what two buckets have in common, and behind what one has besides.
    private struct Devices {
        private let first: TiedDevices
        private let second: TiedDevices
        private let inFirst: TiedDevices
        private let inSecond: TiedDevices
        private let isComparable: Bool
        private let isAll: Bool
        private let width: Int

        init(_ meeting: TiedMeeting, _ whole: [Int], _ part: [Int], _ axes: [Int], _ runs: [Set<Int>]) {
            let share = meeting.share
            let width = (part.max() ?? 0) + 1
            self.width = width
            isComparable = share.hasOneRotation
            isAll = meeting.isAll
            func counted(_ member: Int, _ values: [Int]) -> TiedDevices {
                TiedDevices(
                    share, member: member,
                    along: axes.map {
                        TiedDevices.Axis(
                            place: share.dimensions[$0].places[member], values: share.dimensions[$0].classes[member])
                    } + [TiedDevices.Axis(place: share.dimensions[meeting.place].places[member], values: values)],
                    limit: share.limit(of: member), runs: runs)
            }
            first = counted(meeting.whole, whole)
            second = counted(meeting.part, part)
            // Buckets that lie in both of a pair as a whole: their devices are the pair's.
            inFirst = counted(
                meeting.whole,
                meeting.partners.enumerated().map { bucket, others in
                    let met = Set(others.map { part[$0] })
                    return meeting.isAll && met.count == 1 ? whole[bucket] * width + (met.first ?? 0) : -1
                })
            inSecond = counted(
                meeting.part,
                part.indices.map { bucket in
                    let met = Set(meeting.backs[bucket].map { whole[$0] })
                    return met.count == 1 ? (met.first ?? 0) * width + part[bucket] : -1
                })
        }

        func identifiers(
            of pair: Edge, _ pairs: Pairs, _ group: TiedDevices.Group
        ) -> (common: [Int64], besides: [Int64]) {
            func at(_ value: Int) -> TiedDevices.Group { .init(run: group.run, values: group.values + [value]) }
            let (mine, its) = (first.least[at(pair.whole)] ?? [:], second.least[at(pair.part)] ?? [:])
            let code = pair.whole * width + pair.part
            let (held, holding) = (inFirst.least[at(code)] ?? [:], inSecond.least[at(code)] ?? [:])
            let otherWholes = (pairs.ofPart[pair.part] ?? []).filter { $0 != pair }.map {
                first.most[at($0.whole)] ?? [:]
            }
            let otherParts = (pairs.ofWhole[pair.whole] ?? []).filter { $0 != pair }.map {
                second.most[at($0.part)] ?? [:]
            }
            func beyond(_ least: Int64, _ others: [[Int64: Int64]], _ window: Int64) -> Int64 {
                guard isComparable else { return 0 }
                return others.reduce(least) { $0.subtractedClamped($1[window] ?? 0) }
            }
            let windows = Set(mine.keys).union(its.keys).sorted()
            return (
                windows.map { window in
                    max(
                        0, held[window] ?? 0, holding[window] ?? 0, beyond(its[window] ?? 0, otherWholes, window),
                        isAll ? beyond(mine[window] ?? 0, otherParts, window) : 0)
                },
                windows.map { window in
                    max(0, beyond(mine[window] ?? 0, [second.most[at(pair.part)] ?? [:]], window))
                }
            )
        }
    }
}
