internal import ThrongWire

/// Tells routes that a request was opened here: a field whose value nobody else knows, another one in each process.
enum SealedMark {
    static let name = "throng-sealed"
    static let value = BatchID.random().description
}
