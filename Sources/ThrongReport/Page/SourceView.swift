/// A release in the page's colophon.
struct SourceView {
    let sourceTitle: String
    let sourceThreshold: Int64
    let sourceDigest: String
}
