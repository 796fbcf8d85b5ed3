import Foundation

extension FuzzedDecoder {
    /// The path of the folder of the decoder's inputs: good ones, bad ones, and those that libFuzzer kept.
    package var corpus: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Corpus/\(rawValue)").path
    }

    /// The decoder's inputs, sorted by name.
    ///
    /// - Throws: what the file system says where the folder or a file can't be read.
    package func inputs() throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.contentsOfDirectory(atPath: corpus).sorted()
            .map { ($0, Array(try Data(contentsOf: URL(fileURLWithPath: "\(corpus)/\($0)")))) }
    }
}
