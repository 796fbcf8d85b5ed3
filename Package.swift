// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors where nobody is looking; elsewhere a newer compiler's advice must not stop a build.
let strict: [SwiftSetting] =
    ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map { .enableUpcomingFeature($0) }
    + (Context.environment["CI"] != nil ? [.treatAllWarnings(as: .error)] : [])

/// What a build for a first look and for tests optimizes: what makes and takes events, what decides releases and what attacks
/// them, and nothing else. Packages for others may have no such flags, so only Deploy/quickstart and Deploy/test ask for them.
let isFirstLook = Context.environment["THRONG_FIRST_LOOK"] != nil
let computed = strict + (isFirstLook ? [.unsafeFlags(["-O"])] : [])

/// Whether the quickstart builds: what a trial waits for by a second is not optimized, and there is no TLS unless it is asked for.
let isTrial = Context.environment["THRONG_FIRST_LOOK"] == "trial"
let unhurried = isTrial ? strict : computed

/// Whether libFuzzer brings the main of the program that holds the decoders, as Deploy/fuzz asks.
let isFuzzed = Context.environment["THRONG_FUZZ"] != nil

/// Whether an app builds the client into itself: SwiftPM then reads this file from a checkout, or from Git alone. An app shares
/// swift-crypto with its other packages, so that only a build of Throng itself asks for exactly one version of it.
let isWithinApp = Context.packageDirectory == "/" || Context.packageDirectory.contains("/checkouts/")

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
/// The issuer's half of anonymous credentials. It brings BoringSSL to all platforms, so no app's target has it.
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let certificates: [Target.Dependency] = [.product(name: "X509", package: "swift-certificates"), asn1]
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = ["Hummingbird", "HummingbirdCore"].map { Target.Dependency.product(name: $0, package: "hummingbird") }
let nio = ["NIOCore", "NIOPosix"].map { Target.Dependency.product(name: $0, package: "swift-nio") }
let nioHTTPTypes = ["NIOHTTPTypes", "NIOHTTPTypesHTTP1"].map {
    Target.Dependency.product(name: $0, package: "swift-nio-extras")
}
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

/// What builds a target's texts into it.
let embedded: [Target.PluginUsage] = [.plugin(name: "EmbedTexts")]
let package = Package(
    name: "throng",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "throng", targets: ["throng"]),
        .executable(name: "throng-lab", targets: ["throng-lab"]),
        .library(name: "ThrongClient", targets: ["ThrongClient", "ThrongWire"]),
        .library(name: "ThrongAttestation", targets: ["ThrongAttestation", "ThrongWire"]),
    ],
    traits: [
        .default(enabledTraits: ["Server"]),
        .trait(name: "Server", description: "The daemon and the tests; an app that wants the client says traits: []."),
    ],
    // Deploy/dependencies.txt has all packages that these bring with them; `Deploy/dependencies raise` raises both.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
        isWithinApp
            ? .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
            : .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swiftcsv/SwiftCSV", exact: "0.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // The flow, upstream first. A target depends only on what stands above it.
        .target(name: "ThrongSystem", dependencies: ["CCurl", "CLinux", crypto, logging], swiftSettings: computed),
        .target(name: "ThrongNoise", dependencies: [crypto], swiftSettings: unhurried),
        .target(name: "ThrongWire", dependencies: [crypto], swiftSettings: computed),
        .target(name: "ThrongAttestation", dependencies: ["ThrongWire", crypto], swiftSettings: unhurried),
        .target(
            name: "ThrongPlan", dependencies: ["ThrongNoise", "ThrongWire", "CICU", "CPCRE2", crypto, yams],
            plugins: embedded),
        .target(
            name: "ThrongIngest",
            dependencies: ["ThrongSystem", "ThrongPlan", "CLinux", "CSimdJSON", "CZlib", crypto],
            swiftSettings: computed),
        .target(
            name: "ThrongJournal", dependencies: ["ThrongSystem", "ThrongPlan", "ThrongIngest", crypto],
            swiftSettings: unhurried),
        .target(
            name: "ThrongRelease", dependencies: ["ThrongSystem", "ThrongPlan", "ThrongNoise", crypto],
            swiftSettings: unhurried),
        .target(name: "ThrongAudit", dependencies: ["ThrongPlan"], swiftSettings: unhurried),
        .target(
            name: "ThrongStore",
            dependencies: [
                "ThrongSystem", "ThrongPlan", "ThrongWire", "ThrongIngest", "ThrongJournal", "ThrongRelease", "CLibPQ",
                "CLinux", crypto, logging, lifecycle,
            ], plugins: embedded),
        .target(
            name: "ThrongReport",
            dependencies: [
                "ThrongPlan", "ThrongRelease", .product(name: "Mustache", package: "swift-mustache"),
            ], plugins: embedded),
        .target(
            name: "ThrongCredentials",
            dependencies: [
                "ThrongSystem", "ThrongWire", "ThrongAttestation", "ThrongJournal", "CLinux", crypto, cryptoExtras,
                logging, yams, .product(name: "NIOPosix", package: "swift-nio"),
            ] + certificates, swiftSettings: unhurried),
        .target(
            name: "ThrongSchedule",
            dependencies: [
                "ThrongSystem", "ThrongPlan", "ThrongNoise", "ThrongRelease", "ThrongStore", "ThrongReport", "CLinux",
                "CXlsxWriter", crypto, logging, lifecycle,
            ] + nio),
        .target(
            name: "ThrongServer",
            dependencies: [
                "ThrongSystem", "ThrongPlan", "ThrongWire", "ThrongAttestation", "ThrongIngest", "ThrongJournal",
                "ThrongStore", "ThrongRelease", "ThrongReport", "ThrongCredentials", "ThrongSchedule", "CLinux", crypto,
                logging, lifecycle, signals, httpTypes, nioHTTP, asn1,
            ] + hummingbird + nio + nioHTTPTypes + (isTrial ? [] : [nioSSL]),
            exclude: ["Edge/ServerCertificate\(isTrial ? "" : "+None").swift"], plugins: embedded),
        .target(
            name: "ThrongCrowd",
            dependencies: [
                "ThrongSystem", "ThrongPlan", "ThrongNoise", "ThrongIngest", "ThrongRelease", "ThrongReport",
            ], swiftSettings: unhurried),
        .executableTarget(
            name: "throng",
            dependencies: [
                "ThrongSystem", "ThrongPlan", "ThrongWire", "ThrongIngest", "ThrongJournal", "ThrongRelease",
                "ThrongAudit", "ThrongStore", "ThrongReport", "ThrongCredentials", "ThrongSchedule", "ThrongServer",
                "ThrongCrowd", crypto, logging, yams, arguments, signals,
            ]),

        // What developers and statistical offices run: nothing of the daemon.
        .target(
            name: "ThrongLoad", dependencies: ["ThrongSystem", "ThrongPlan", "ThrongIngest", "ThrongCrowd"],
            path: "Lab/ThrongLoad", swiftSettings: computed),
        .executableTarget(
            name: "throng-lab",
            dependencies: [
                "ThrongSystem", "ThrongPlan", "ThrongWire", "ThrongNoise", "ThrongIngest", "ThrongRelease",
                "ThrongAudit", "ThrongReport", "ThrongCrowd", "ThrongLoad", "CCoin", crypto, arguments, logging,
                histogram, httpTypes, .product(name: "SwiftCSV", package: "SwiftCSV"),
            ] + hummingbird + nio, path: "Lab/throng-lab", swiftSettings: computed, plugins: embedded),

        // What apps build into themselves: nothing of the daemon.
        .target(
            name: "ThrongClient",
            dependencies: ["ThrongWire", crypto, .target(name: "CZlib", condition: .when(platforms: [.linux]))],
            resources: [.copy("PrivacyInfo.xcprivacy")]),
        .executableTarget(
            name: "Notes", dependencies: ["ThrongClient"], path: "Deploy/sample/notes", exclude: ["notes.yaml"]),

        // What tests and benchmarks share: parts of Throng as processes, to be killed or asked from Python, and a daemon on a
        // virtual disk, clock and PostgreSQL, where one seed replays one history.
        .executableTarget(
            name: "Probe",
            dependencies: [
                "ThrongSystem", "ThrongPlan", "ThrongWire", "ThrongAttestation", "ThrongClient", "ThrongIngest",
                "ThrongJournal", "ThrongStore", "ThrongRelease", "ThrongReport", "ThrongSchedule", "ThrongServer",
                logging, arguments,
            ], path: "Tests/Support/Probe"),
        // A device's half of a credential as a process of its own, to be traced.
        .executableTarget(
            name: "SecretTrace", dependencies: ["ThrongAttestation", "ThrongWire", crypto, cryptoExtras],
            path: "Tests/Support/SecretTrace"),
        .target(name: "CAllocationCount", path: "Tests/Benchmarks/CAllocationCount"),
        .executableTarget(
            name: "StageBench",
            dependencies: [
                "ThrongCrowd", "ThrongLoad", "ThrongPlan", "ThrongWire", "ThrongIngest", "ThrongJournal",
                "ThrongAttestation", "CSimdJSON", "CAllocationCount", crypto, cryptoExtras, arguments,
            ], path: "Tests/Benchmarks/StageBench"),
        // The decoders, ready to be given anything: by libFuzzer where Deploy/fuzz builds it, and by tests from what it kept.
        .executableTarget(
            name: "Fuzzing",
            dependencies: [
                "ThrongSystem", "ThrongPlan", "ThrongIngest", "ThrongJournal", "ThrongServer", "ThrongAttestation",
                "ThrongCredentials", "ThrongWire", logging, nioHTTP, nioEmbedded,
            ] + nio, path: "Tests/Support/Fuzzing", exclude: ["Corpus", "Words"],
            swiftSettings: computed + (isFuzzed ? [.define("LIBFUZZER")] : [])),
        .target(name: "TestCluster", dependencies: ["ThrongStore", logging], path: "Tests/Support/TestCluster"),

        .testTarget(
            name: "ThrongPlanTests", dependencies: ["ThrongSystem", "ThrongPlan", "ThrongWire", "ThrongNoise", yams],
            exclude: ["Mistakes", "Record/Golden"]),
        .testTarget(
            name: "ThrongIngestTests",
            dependencies: ["ThrongSystem", "ThrongIngest", "ThrongPlan", "ThrongWire", "CSimdJSON", crypto]),
        .testTarget(
            name: "ThrongJournalTests",
            dependencies: ["ThrongSystem", "ThrongIngest", "ThrongJournal", "ThrongPlan", "ThrongWire", crypto]),
        .testTarget(
            name: "ThrongReleaseTests",
            dependencies: [
                "throng-lab", "ThrongSystem", "ThrongRelease", "ThrongAudit", "ThrongNoise", "ThrongPlan", "ThrongWire",
            ], exclude: ["Noise/golden.py"]),
        .testTarget(
            name: "PromiseTests",
            dependencies: [
                "Probe", "Fuzzing", "ThrongSystem", "ThrongIngest", "ThrongNoise", "ThrongPlan", "ThrongRelease",
                "ThrongWire",
            ]),
        .testTarget(
            name: "LabTests",
            dependencies: [
                "throng-lab", "ThrongSystem", "ThrongCrowd", "ThrongLoad", "ThrongIngest",
                "ThrongPlan", "ThrongRelease", "ThrongReport", "ThrongWire", "CCoin", arguments, histogram, nioHTTP,
            ] + nio),
        .testTarget(
            name: "ThrongStoreTests",
            dependencies: [
                "TestCluster", "ThrongSystem", "ThrongNoise", "ThrongStore", "ThrongPlan", "ThrongIngest",
                "ThrongJournal", "ThrongRelease", "ThrongWire", crypto, logging, lifecycle,
            ]),
        .testTarget(
            name: "ThrongReportTests",
            dependencies: [
                "ThrongSystem", "ThrongSchedule", "ThrongReport", "ThrongPlan", "ThrongRelease", "ThrongWire",
            ], exclude: ["Golden"]),
        .testTarget(
            name: "ThrongCredentialsTests",
            dependencies: [
                "SecretTrace", "ThrongSystem", "ThrongCredentials", "ThrongAttestation", "ThrongJournal", "ThrongWire",
                crypto, cryptoExtras, logging,
            ] + certificates, exclude: ["Published"]),
        .testTarget(
            name: "ThrongServerTests",
            dependencies: [
                "TestCluster", "throng", "ThrongSystem", "ThrongServer", "ThrongSchedule", "ThrongStore", "ThrongPlan",
                "ThrongWire", "ThrongRelease", "ThrongReport", "ThrongIngest", "ThrongJournal", "ThrongAttestation",
                "ThrongCredentials", "ThrongCrowd", arguments, lifecycle, logging, httpTypes, nioHTTP, nioEmbedded,
                nioSSL,
            ] + hummingbird + nio),
        .testTarget(
            name: "ThrongClientTests",
            dependencies: [
                "Probe", "ThrongAttestation", "ThrongClient", "ThrongIngest", "ThrongPlan", "ThrongWire", "CZlib",
                crypto,
            ]),
        .testTarget(name: "HouseTests", dependencies: [crypto]),
        .testTarget(name: "EndToEndTests", exclude: ["Programs"]),
        .plugin(name: "EmbedTexts", capability: .buildTool()),
        // The system's libraries.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CICU", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "CLinux"),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CXlsxWriter", pkgConfig: "xlsxwriter", providers: [.apt(["libxlsxwriter-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "CCoin", path: "Lab/CCoin", linkerSettings: ["CbcSolver", "Cbc", "Clp"].map { .linkedLibrary($0) }),
        .target(
            name: "CSimdJSON", cxxSettings: isFirstLook ? [.unsafeFlags(["-O1"])] : [],
            linkerSettings: [.linkedLibrary("simdjson")]),
    ],
    cxxLanguageStandard: .cxx17
)

// Without the trait SwiftPM fetches only what the client needs.
for target in package.targets {
    let isSwift = !target.name.hasPrefix("C") && target.type != .plugin
    if isSwift, target.swiftSettings == nil { target.swiftSettings = strict }
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package?, let aliases, nil) = dependency, name != "Crypto" else {
            return dependency
        }
        return .product(
            name: name, package: package, moduleAliases: aliases, condition: .when(traits: ["Server"]))
    }
}
