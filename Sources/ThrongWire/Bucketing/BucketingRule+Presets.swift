extension BucketingRule {
    /// A device's memory in bands. Unit: GB, as `navigator.deviceMemory` and its kin report it.
    public static let memoryBands: BucketingRule = .bands(edges: [4, 8, 16])

    /// A device's logical processors in bands.
    public static let coreBands: BucketingRule = .bands(edges: [4, 8, 16])

    /// What `screen: standard` stands for: the short side in CSS pixels.
    package static let standardScreen = BucketingRule.screen(mediumFrom: 600, largeFrom: 1024)
}
