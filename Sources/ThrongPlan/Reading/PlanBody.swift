/// One mapping of a plan whose keys are known and stand once.
struct PlanBody<Key: PlanKey> {
    /// What messages call it: "metric 'purchases'".
    let subject: String
    /// Where it is named.
    let place: YAMLNode.Place
    /// What stands behind each key that has a value.
    let values: [Key: YAMLNode]
    /// Where each of its keys is written.
    let keyPlaces: [Key: YAMLNode.Place]

    /// What stands behind a key.
    subscript(key: Key) -> YAMLNode? { values[key] }

    /// What messages call a key's value: "metric 'purchases': 'threshold'".
    func subject(_ key: Key) -> String { "\(subject): '\(key.rawValue)'" }
}
