// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors where nobody is looking; elsewhere a newer compiler's advice must not stop a build.
let isContinuousIntegration = Context.environment["CI"] != nil

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isContinuousIntegration ? [.treatAllWarnings(as: .error)] : [])

/// What a build for a first look and for tests optimizes: what makes and takes events, what decides releases and what attacks
/// them, and nothing else. Packages for others may have no such flags, so only Deploy/quickstart and Deploy/test ask for them.
let isFirstLook = Context.environment["THRONG_FIRST_LOOK"] != nil
let computed = strict + (isFirstLook ? [.unsafeFlags(["-O"])] : [])

/// Whether an app builds the client into itself: SwiftPM then reads this file from a checkout, or from Git alone. An app shares
/// swift-crypto with its other packages, so that only a build of Throng itself asks for exactly one version of it.
let isWithinApp = Context.packageDirectory == "/" || Context.packageDirectory.contains("/checkouts/")

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
/// The issuer's half of anonymous credentials. It brings BoringSSL to all platforms, so no app's target has it.
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let csv = Target.Dependency.product(name: "SwiftCSV", package: "SwiftCSV")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "throng",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "throng", targets: ["throng"]),
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
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        isWithinApp
            ? .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
            : .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
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
        // The flow, upstream first. An arrow points only to what stands above it.
        .target(name: "ThrongFaults", swiftSettings: strict),
        .target(name: "ThrongFiles", swiftSettings: computed),
        .target(name: "ThrongChance", dependencies: ["ThrongFiles", crypto], swiftSettings: strict),
        .target(name: "ThrongNoise", dependencies: [crypto], swiftSettings: computed),
        .target(name: "ThrongWire", swiftSettings: computed),
        .target(name: "ThrongOblivious", dependencies: [crypto], swiftSettings: computed),
        .target(name: "ThrongAttestation", dependencies: ["ThrongWire", crypto], swiftSettings: computed),
        .target(
            name: "ThrongPlan", dependencies: ["ThrongNoise", "ThrongWire", "CPCRE2", crypto, yams],
            swiftSettings: strict),
        .target(
            name: "ThrongCounting", dependencies: ["ThrongFaults", "ThrongPlan", "ThrongWire", crypto],
            swiftSettings: computed),
        .target(name: "ThrongMembers", dependencies: ["ThrongCounting", "ThrongPlan", crypto], swiftSettings: strict),
        .target(
            name: "ThrongIntake",
            dependencies: [
                "ThrongFiles", "ThrongPlan", "ThrongWire", "ThrongCounting", "CSimdJSON", "CZlib", crypto,
            ],
            swiftSettings: computed),
        .target(
            name: "ThrongJournal",
            dependencies: ["ThrongFaults", "ThrongFiles", "ThrongPlan", "ThrongWire", "ThrongCounting", crypto],
            swiftSettings: computed),
        .target(
            name: "ThrongSuppression", dependencies: ["ThrongChance", "CCoin"],
            swiftSettings: computed),
        .target(
            name: "ThrongRelease",
            dependencies: ["ThrongFaults", "ThrongPlan", "ThrongWire", "ThrongNoise", crypto],
            swiftSettings: computed),
        .target(name: "ThrongAudit", dependencies: ["ThrongPlan", "ThrongWire"], swiftSettings: computed),
        .target(name: "ThrongTable", dependencies: ["ThrongSuppression", csv], swiftSettings: strict),
        .target(
            name: "ThrongPostgres", dependencies: ["ThrongFaults", "CLibPQ", "CLinux", logging, lifecycle],
            swiftSettings: strict),
        .target(
            name: "ThrongStore",
            dependencies: [
                "ThrongFaults", "ThrongPlan", "ThrongWire", "ThrongCounting", "ThrongMembers", "ThrongRelease",
                "ThrongPostgres", crypto,
            ],
            resources: [.embedInCode("Schema")],
            swiftSettings: strict),
        .target(
            name: "ThrongBackup",
            dependencies: [
                "ThrongFaults", "ThrongFiles", "ThrongPlan", "ThrongWire", "ThrongCounting", "ThrongJournal",
                "ThrongPostgres", "ThrongStore", crypto,
            ],
            swiftSettings: computed),
        .target(
            name: "ThrongInsight", dependencies: ["ThrongPlan", "ThrongWire", "ThrongRelease"],
            swiftSettings: strict),
        .target(
            name: "ThrongReport",
            dependencies: [
                "ThrongPlan", "ThrongRelease", "ThrongInsight",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            resources: [.embedInCode("Templates")],
            swiftSettings: strict),
        .target(name: "ThrongHTTP", dependencies: ["CCurl"], swiftSettings: strict),
        .target(name: "ThrongTraces", dependencies: ["ThrongHTTP", tracing, logging], swiftSettings: strict),
        .target(name: "ThrongProgram", dependencies: ["CLinux"], swiftSettings: strict),
        .target(
            name: "ThrongCredentials",
            dependencies: [
                "ThrongAttestation", "ThrongWire", "ThrongJournal", "ThrongHTTP", "ThrongProgram", "CLinux", crypto,
                cryptoExtras, logging, yams, .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: computed),
        .target(
            name: "ThrongDelivery",
            dependencies: [
                "ThrongPlan", "ThrongWire", "ThrongRelease", "ThrongPostgres", "ThrongStore",
                "ThrongInsight",
                "ThrongReport", "ThrongHTTP", "ThrongTraces", "ThrongProgram", crypto, logging, lifecycle,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .target(
            name: "ThrongSchedule",
            dependencies: [
                "ThrongChance", "ThrongFaults", "ThrongPlan", "ThrongWire", "ThrongNoise", "ThrongRelease",
                "ThrongPostgres",
                "ThrongStore", "ThrongInsight", "ThrongReport", "ThrongTraces", "ThrongDelivery", "CLinux", logging,
                lifecycle,
            ],
            swiftSettings: strict),
        .target(
            name: "ThrongPortal",
            dependencies: [
                "ThrongPlan", "ThrongWire", "ThrongPostgres", "ThrongStore", "ThrongInsight", "ThrongReport", crypto,
                logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            resources: [.embedInCode("Templates")],
            swiftSettings: strict),
        .target(
            name: "ThrongServer",
            dependencies: [
                "ThrongChance", "ThrongFaults", "ThrongFiles", "ThrongPlan", "ThrongWire", "ThrongOblivious",
                "ThrongAttestation", "ThrongIntake",
                "ThrongCounting", "ThrongMembers", "ThrongHTTP",
                "ThrongJournal", "ThrongCredentials",
                "ThrongPostgres", "ThrongStore", "ThrongInsight", "ThrongReport", "ThrongDelivery", "ThrongSchedule",
                "ThrongPortal", "ThrongTraces", "CLinux", "CDescriptors", crypto, logging, lifecycle,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Web")],
            swiftSettings: strict),
        .target(
            name: "ThrongLoad",
            dependencies: [
                "ThrongChance", "ThrongMembers", "ThrongPlan", "ThrongIntake",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: computed),
        .target(
            name: "ThrongForecast",
            dependencies: [
                "ThrongChance", "ThrongNoise", "ThrongPlan", "ThrongIntake", "ThrongCounting", "ThrongRelease",
                "ThrongInsight", "ThrongLoad",
            ],
            swiftSettings: computed),
        .target(
            name: "ThrongConform",
            dependencies: [
                "ThrongPlan", "ThrongWire", "ThrongIntake", "ThrongCounting", logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            resources: [.embedInCode("Plan")],
            swiftSettings: strict),
        .executableTarget(
            name: "throng",
            dependencies: [
                "ThrongChance", "ThrongConform", "ThrongCredentials", "ThrongFaults", "ThrongFiles", "ThrongLoad",
                "ThrongForecast",
                "ThrongPlan", "ThrongWire",
                "ThrongIntake",
                "ThrongCounting", "ThrongMembers",
                "ThrongJournal", "ThrongPostgres", "ThrongStore", "ThrongBackup", "ThrongInsight", "ThrongReport",
                "ThrongHTTP", "ThrongTraces", "ThrongDelivery", "ThrongSchedule", "ThrongServer", "ThrongRelease",
                "ThrongSuppression", "ThrongTable",
                "ThrongAudit", crypto, logging, yams,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),

        // What apps build into themselves: nothing of the daemon.
        .target(
            name: "ThrongClient",
            dependencies: [
                "ThrongWire", "ThrongOblivious", crypto,
                .target(name: "CZlib", condition: .when(platforms: [.linux])),
            ],
            resources: [.copy("PrivacyInfo.xcprivacy")],
            swiftSettings: strict),

        .executableTarget(
            name: "Notes", dependencies: ["ThrongClient"], path: "Deploy/sample/notes", exclude: ["notes.yaml"],
            swiftSettings: strict),

        .testTarget(
            name: "ThrongPlanTests", dependencies: ["ThrongChance", "ThrongPlan", "ThrongWire", "ThrongNoise", yams],
            exclude: ["Record/Golden"], swiftSettings: strict),
        // The daemon in memory, unreliable networks, and a crowd of devices: for tests of the client.
        .target(
            name: "ClientWorld",
            dependencies: [
                "ThrongChance", "ThrongClient", "ThrongIntake", "ThrongCounting", "ThrongPlan", "ThrongWire",
            ],
            path: "Tests/Support/ClientWorld", swiftSettings: strict),
        // Parts of Throng as processes of their own, to be killed or asked from Python.
        .executableTarget(
            name: "Probe",
            dependencies: [
                "ClientWorld", "ThrongAttestation", "ThrongClient", "ThrongOblivious", "ThrongPlan", "ThrongWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Support/Probe", swiftSettings: strict),
        .testTarget(name: "ThrongObliviousTests", dependencies: ["ThrongOblivious", crypto], swiftSettings: strict),
        .testTarget(
            name: "ThrongClientTests",
            dependencies: [
                "ClientWorld", "Probe", "ThrongAttestation", "ThrongClient", "ThrongCounting", "ThrongOblivious",
                "ThrongPlan", "ThrongWire", "CZlib", crypto,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongPortalTests",
            dependencies: [
                "ThrongPortal", "ThrongPlan", "ThrongInsight", "ThrongReport", "ThrongDelivery", "ThrongPostgres",
                "ThrongStore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongCountingTests",
            dependencies: [
                "ThrongFaults", "ThrongChance", "ThrongCounting", "ThrongPlan", "ThrongWire", crypto,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongMembersTests",
            dependencies: ["ThrongChance", "ThrongCounting", "ThrongMembers", "ThrongPlan"],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongIntakeTests", dependencies: ["ThrongIntake", "ThrongCounting", "ThrongPlan", "ThrongWire"],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongJournalTests",
            dependencies: [
                "ThrongFaults", "ThrongChance", "ThrongFiles", "ThrongIntake", "ThrongJournal", "ThrongCounting",
                "ThrongPlan",
                "ThrongWire", crypto,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongLoadTests",
            dependencies: [
                "ThrongLoad", "ThrongIntake", "ThrongCounting", "ThrongPlan", "ThrongWire",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongForecastTests",
            dependencies: [
                "ThrongChance", "ThrongForecast", "ThrongLoad", "ThrongIntake", "ThrongPlan", "ThrongRelease",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongNoiseTests", dependencies: ["ThrongChance", "ThrongNoise"], exclude: ["golden.py"],
            swiftSettings: strict),
        .target(
            name: "SuppressionOracle", dependencies: ["ThrongSuppression", "CCoin"],
            path: "Tests/Support/SuppressionOracle",
            swiftSettings: computed),
        // A release of many cells that is drawn with margins: for a benchmark.
        .target(
            name: "NoiseTrial", dependencies: ["ThrongChance", "ThrongNoise"],
            path: "Tests/Support/NoiseTrial", swiftSettings: strict),
        .executableTarget(
            name: "NoiseBench", dependencies: ["NoiseTrial"], path: "Tests/Benchmarks/NoiseBench",
            swiftSettings: strict),
        .executableTarget(
            name: "SuppressionBench",
            dependencies: ["ThrongChance", "ThrongSuppression", "SuppressionOracle"],
            path: "Tests/Benchmarks/SuppressionBench", swiftSettings: computed),
        .executableTarget(
            name: "ReleaseBench",
            dependencies: ["ThrongChance", "ThrongForecast", "ThrongLoad", "ThrongPlan", "ThrongRelease"],
            path: "Tests/Benchmarks/ReleaseBench", swiftSettings: strict),
        .testTarget(
            name: "ThrongSuppressionTests", dependencies: ["ThrongSuppression", "SuppressionOracle", "CCoin"],
            swiftSettings: strict),
        // A device's half of a credential as a process of its own, to be traced.
        .executableTarget(
            name: "SecretTrace", dependencies: ["ThrongAttestation", "ThrongWire", crypto, cryptoExtras],
            path: "Tests/Support/SecretTrace", swiftSettings: strict),
        .testTarget(
            name: "ThrongAttestationTests",
            dependencies: ["SecretTrace", "ThrongAttestation", "ThrongWire", crypto, cryptoExtras],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongCredentialsTests",
            dependencies: [
                "ThrongCredentials", "ThrongAttestation", "ThrongFiles", "ThrongJournal", "ThrongWire", crypto, logging,
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            exclude: ["Published"], swiftSettings: strict),
        // Counts what each stage takes; nothing of the product.
        .target(name: "CAllocationCount", path: "Tests/Benchmarks/CAllocationCount"),
        .executableTarget(
            name: "StageBench",
            dependencies: [
                "ThrongLoad", "ThrongPlan", "ThrongWire", "ThrongIntake", "ThrongCounting", "ThrongJournal",
                "CSimdJSON",
                "CAllocationCount", "ThrongAttestation", crypto, cryptoExtras,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Benchmarks/StageBench", swiftSettings: strict),
        // The decoders, ready to be given anything: by libFuzzer, and by tests from what it kept.
        .target(
            name: "Fuzzing",
            dependencies: [
                "ThrongPlan", "ThrongOblivious", "ThrongCounting", "ThrongFiles", "ThrongIntake", "ThrongJournal",
                "ThrongServer", "ThrongAttestation", "ThrongCredentials", "ThrongChance", "ThrongWire", logging,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            path: "Tests/Support/Fuzzing", swiftSettings: computed),
        .testTarget(
            name: "FuzzingTests",
            dependencies: ["ThrongChance", "ThrongCounting", "ThrongIntake", "ThrongPlan", "ThrongWire", "Fuzzing"],
            exclude: ["Corpus", "Words"], swiftSettings: strict),
        // A daemon on a virtual disk, clock and PostgreSQL: one seed replays one history.
        .target(
            name: "Simulation",
            dependencies: [
                "ThrongChance", "ThrongFaults", "ThrongPlan", "ThrongWire", "ThrongIntake", "ThrongCounting",
                "ThrongJournal",
                "ThrongPostgres", "ThrongStore", "ThrongRelease", "ThrongReport", "ThrongDelivery", "ThrongSchedule",
                "ThrongServer", logging,
            ],
            path: "Tests/Support/Simulation", swiftSettings: strict),
        .executableTarget(
            name: "Simulate",
            dependencies: [
                "Simulation", "ThrongFaults", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Support/Simulate", swiftSettings: strict),
        .testTarget(
            name: "SimulationTests", dependencies: ["Simulate", "Simulation", "ThrongFaults"], swiftSettings: strict),
        // Random plans over random people, released and attacked: for a fuzzer and for tests.
        .target(
            name: "PlanTrial",
            dependencies: [
                "ThrongChance", "ThrongFaults", "ThrongAudit", "ThrongNoise", "ThrongPlan", "ThrongRelease",
                "ThrongWire",
            ],
            path: "Tests/Support/PlanTrial", swiftSettings: computed),
        .executableTarget(
            name: "PlanFuzz",
            dependencies: [
                "PlanTrial", "ThrongFaults", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Support/PlanFuzz", swiftSettings: strict),
        .testTarget(
            name: "ThrongAuditTests",
            dependencies: [
                "PlanTrial", "ThrongFaults", "ThrongAudit", "ThrongNoise", "ThrongPlan", "ThrongRelease", "ThrongWire",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongTableTests",
            dependencies: ["ThrongChance", "ThrongFiles", "ThrongTable", "ThrongSuppression"],
            swiftSettings: strict),
        .testTarget(
            name: "PromiseTests",
            dependencies: [
                "ThrongChance", "ThrongFaults", "ThrongIntake", "ThrongCounting", "ThrongNoise", "ThrongPlan",
                "ThrongRelease", "ThrongWire",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongReleaseTests",
            dependencies: [
                "ThrongChance", "ThrongFaults", "ThrongRelease", "ThrongNoise", "ThrongPlan",
            ],
            swiftSettings: strict),
        .target(
            name: "TestCluster", dependencies: ["ThrongPostgres", "ThrongStore", logging],
            path: "Tests/Support/TestCluster",
            swiftSettings: strict),
        .testTarget(
            name: "ThrongTracesTests", dependencies: ["ThrongTraces", tracing, logging], swiftSettings: strict),
        .testTarget(
            name: "ThrongServerTests",
            dependencies: [
                "ThrongChance", "ThrongFaults", "ThrongFiles", "ThrongServer", "ThrongSchedule",
                "ThrongDelivery",
                "ThrongPostgres",
                "ThrongStore",
                "ThrongPlan", "ThrongWire", "ThrongCounting", "ThrongRelease", "ThrongInsight",
                "ThrongReport", "ThrongHTTP", "ThrongOblivious", "ThrongPortal", "ThrongIntake", "ThrongJournal",
                "ThrongAttestation", "ThrongCredentials", "TestCluster", lifecycle,
                logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongStoreTests",
            dependencies: [
                "ThrongChance", "ThrongFaults", "ThrongNoise", "TestCluster", "ThrongPostgres", "ThrongStore",
                "ThrongPlan", "ThrongCounting",
                "ThrongRelease", "ThrongWire", logging, lifecycle,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongBackupTests",
            dependencies: [
                "ThrongBackup", "ThrongJournal", "ThrongPostgres", "ThrongStore", "ThrongPlan", "ThrongCounting",
                "ThrongRelease", "TestCluster", crypto,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ThrongReportTests",
            dependencies: [
                "ThrongChance", "ThrongDelivery", "ThrongReport", "ThrongInsight",
                "ThrongPlan", "ThrongRelease",
            ],
            exclude: ["Golden"], swiftSettings: strict),
        // What CONTRIBUTING says and a machine can see: reads files, builds nothing of the product.
        .testTarget(name: "HouseTests", dependencies: [crypto], swiftSettings: strict),
        .testTarget(name: "EndToEndTests", exclude: ["Programs"], swiftSettings: strict),

        // The system's libraries.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "CCoin", linkerSettings: [.linkedLibrary("CbcSolver"), .linkedLibrary("Cbc"), .linkedLibrary("Clp")]),
        .target(name: "CDescriptors"),
        .target(
            name: "CSimdJSON", cxxSettings: isFirstLook ? [.unsafeFlags(["-O1"])] : [],
            linkerSettings: [.linkedLibrary("simdjson")]),
    ],
    cxxLanguageStandard: .cxx17
)

// A program whose main is libFuzzer's, so that only a build with it can link it: Deploy/fuzz asks for it.
if Context.environment["THRONG_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["Fuzzing"], path: "Tests/Support/Fuzz",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}

// Without the trait SwiftPM fetches only what the client needs.
for target in package.targets {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package?, let aliases, nil) = dependency, name != "Crypto" else {
            return dependency
        }
        return .product(
            name: name, package: package, moduleAliases: aliases, condition: .when(traits: ["Server"]))
    }
}
