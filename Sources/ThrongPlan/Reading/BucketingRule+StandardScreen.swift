extension BucketingRule {
    /// What `screen: standard` stands for: the short side in CSS pixels.
    package static let standardScreen = BucketingRule.screen(mediumFrom: 600, largeFrom: 1024)
}
