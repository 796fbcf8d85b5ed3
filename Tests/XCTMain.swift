import Foundation
import Testing

/// Runs the tests. All are Swift Testing's, which finds its own: without this file SwiftPM looks for others, in an index that
/// the compiler then writes of all code.
@main
struct XCTMain {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else {
            FileHandle.standardError.write(
                Data("Say swift test --disable-xctest --enable-swift-testing, or Deploy/test.\n".utf8))
            exit(64)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
