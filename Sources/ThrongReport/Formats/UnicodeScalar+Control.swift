extension Unicode.Scalar {
    /// Whether it steers how text around it is read or shown instead of being text: C0 and C1 controls, DEL, line and
    /// paragraph separators, directional marks, embeddings, overrides and isolates, and what XML cannot hold.
    package var isControl: Bool {
        switch value {
        case 0x00...0x1f, 0x7f...0x9f, 0x200e, 0x200f, 0x061c, 0x2028...0x202e, 0x2066...0x2069, 0xfeff,
            0xfffe, 0xffff:
            true
        default:
            false
        }
    }
}
