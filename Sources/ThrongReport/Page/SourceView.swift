/// A release in the page's colophon.
struct SourceView {
    let sourceTitle: String
    let sourcePeriod: String
    let sourceThreshold: String
    let sourceDigest: String
}
