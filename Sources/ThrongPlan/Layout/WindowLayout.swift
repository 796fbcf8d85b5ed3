/// The measure of what an identifier did within its window, as counters know it: a progress that only grows.
package enum WindowLayout: Sendable, Hashable, Codable {
    /// Progress is events, in bands by their lower edges: ascending, 1 is the first.
    case frequency(bands: [Int])
    /// Progress is the number of steps taken, of so many.
    case funnel(steps: Int)

    /// The greatest progress that counts; beyond it, progress says nothing more.
    package var most: Int {
        switch self {
        case .frequency(let bands): bands.last ?? 1
        case .funnel(let steps): steps
        }
    }

    /// The number of buckets of the dimension made of the progress.
    package var size: Int {
        switch self {
        case .frequency(let bands): bands.count
        case .funnel(let steps): steps
        }
    }

    /// Returns the bucket in which an identifier counts.
    ///
    /// - Precondition: progress is at least 1.
    package func bucket(of progress: Int) -> Int {
        switch self {
        case .frequency(let bands): (bands.lastIndex { $0 <= progress }) ?? 0
        case .funnel(let steps): min(progress, steps) - 1
        }
    }

    /// Returns an identifier's progress after an event.
    ///
    /// - Parameters:
    ///   - steps: the funnel's steps that the event is: bit i is step i; unused for a frequency.
    ///   - count: the number of times that the event happened.
    package func advanced(_ progress: Int, by steps: UInt16, count: UInt32) -> Int {
        switch self {
        case .frequency:
            return min(most, progress + Int(min(count, UInt32(most))))
        case .funnel:
            var reached = progress
            for _ in 0..<min(Int(count), most) {
                guard reached < most, steps >> UInt16(reached) & 1 == 1 else { break }
                reached += 1
            }
            return reached
        }
    }
}

extension WindowMeasure {
    package var layout: WindowLayout {
        switch kind {
        case .frequency(let bands): .frequency(bands: bands)
        case .funnel(let steps): .funnel(steps: steps.count)
        }
    }
}
