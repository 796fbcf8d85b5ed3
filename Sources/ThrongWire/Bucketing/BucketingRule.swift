/// A bucketing as the plan declares it, before it is compiled to tables.
public enum BucketingRule: Sendable, Hashable {
    /// Named groups of values; a value that no group lists goes to `other`.
    case list([BucketGroup])
    /// Numeric bands between ascending edges: below the first, [e0, e1), …, from the last on.
    case bands(edges: [Double])
    /// Rounded to so many significant figures; outside the range goes to the range's ends.
    case significantFigures(digits: Int, lowest: Double, highest: Double)
    /// Powers of a base: [base^n, base^(n+1)) between the two exponents, with one bucket below and one above.
    case powers(base: Int, lowestExponent: Int, highestExponent: Int)
    /// A version cut to its major or minor number; versions that are not listed go to `other`.
    case version(level: VersionLevel, known: [String])
    /// "390x844" to small, medium or large by the short side in CSS pixels.
    case screen(mediumFrom: Int, largeFrom: Int)
    /// A user agent to its browser family.
    case browser(families: [String])
    /// A user agent to its operating system's family.
    case operatingSystem(families: [String])
    /// A user agent to phone, tablet, desktop, bot or other.
    case deviceClass
    /// A locale ("de-AT") to its language ("de").
    case language(known: [String])
    /// An IANA time zone or an offset in minutes to a band of UTC offsets, by the zone's standard time.
    case utcOffset(bandHours: Int)
    /// An ISO 3166-1 alpha-2 country to a region.
    case region([BucketGroup])
    /// The event's time to a part of it, in the app's time zone.
    case time(part: TimePart, timeZone: String)
    /// A URL to its host, if listed.
    case host(known: [String])
    /// A URL or a path to the first route template that matches: `/product/:id`.
    case route(templates: [String])
    /// A file name to the type of its content, by its extension.
    case fileType
    /// A value that nobody lists, sent as a ``RevealedHash``, to a bucket of its own once enough devices have sent it; at most so many.
    case revealed(most: Int)

    /// The part of a version number that is kept.
    public enum VersionLevel: String, Sendable, Hashable, Codable, CaseIterable { case major, minor }
    /// The part of a time that is kept.
    public enum TimePart: String, Sendable, Hashable, Codable, CaseIterable { case hour, day, weekday, week }
}

/// Values that share a bucket.
public struct BucketGroup: Sendable, Hashable, Codable {
    /// The bucket's label.
    public let label: BucketLabel
    /// The raw values that it holds; the label itself is always among them.
    public let values: [String]

    /// Creates a group with its label and values.
    public init(label: BucketLabel, values: [String]) { (self.label, self.values) = (label, values) }
}
