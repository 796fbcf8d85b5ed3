/// Takes a form's fields off its bytes, one after the other. Its length is checked first, so that no field is short.
struct ByteReader {
    private let form: AttestationForm
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>, of form: AttestationForm) throws(AttestationError) {
        guard bytes.count == form.byteCount else { throw .length(of: form, found: bytes.count) }
        self.form = form
        rest = ArraySlice(Array(bytes))
    }

    mutating func point(_ field: String) throws(AttestationError) -> Point {
        guard let point = Point(compressed: bytes(Point.byteCount)) else { throw .point(in: form, field: field) }
        return point
    }

    mutating func scalar(_ field: String) throws(AttestationError) -> Scalar {
        guard let scalar = Scalar(canonical: bytes(Scalar.byteCount)) else { throw .scalar(in: form, field: field) }
        return scalar
    }

    /// A scalar that is not 0.
    mutating func secret(_ field: String) throws(AttestationError) -> Scalar {
        let scalar = try scalar(field)
        guard !scalar.isZero else { throw .scalar(in: form, field: field) }
        return scalar
    }

    mutating func proof(ofSecrets secrets: Int) throws(AttestationError) -> Proof {
        let challenge = try scalar("the proof's challenge")
        var responses: [Scalar] = []
        for number in 1...secrets { responses.append(try scalar("the proof's response \(number)")) }
        return Proof(challenge: challenge, responses: responses)
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
