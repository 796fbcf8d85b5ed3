/// Figures beside what they must be.
struct Musts {
    /// Figures that are not what they must be.
    private(set) var missed = 0

    /// Prints a figure and its must.
    mutating func say(_ figure: String, must: String, _ holds: Bool) {
        print("  \(figure); must \(must)\(holds ? "" : ": MISSED")")
        if !holds { missed += 1 }
    }
}

/// A number, shown or not, by the devices that were counted behind it.
struct Row {
    /// The dimensions that it is split by.
    let split: Int
    let devices: Int64
    let threshold: Int64
    /// Of its grouping's numbers of devices.
    let margin: Int64
    let isShown: Bool
}

extension [Row] {
    /// Those with k devices and so many margins.
    func over(_ margins: Int64) -> [Row] { filter { $0.devices >= $0.threshold + margins * $0.margin } }

    var shown: Int { count(where: \.isShown) }

    /// All that have k and the margin, but for the noise's tail. Of exactly so many devices every other number is shown; of k and two
    /// margins 39 of 40 are.
    var areShown: Bool { Double(over(1).shown) >= 0.975 * Double(over(1).count) }

    var text: String {
        "\(shown) shown; of \(over(0).count) with k \(over(0).shown), of \(over(1).count) with k and the margin "
            + "\(over(1).shown), of \(over(2).count) with k and two margins \(over(2).shown)"
    }
}
