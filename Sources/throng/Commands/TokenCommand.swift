import ArgumentParser
import Foundation
import ThrongPlan
import ThrongStore
import ThrongSystem

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Lets people look at pages, and takes that back.",
        discussion: """
            `throng serve --portal host:port` serves the pages. A token is shown once, when it is made; what is kept of it \
            can't be used to sign in.

            EXAMPLE
              throng token new --operator --data ./data
            """, subcommands: [New.self, List.self, Revoke.self])

    private struct Line: Encodable {
        let id, role: String
        let app, partner, note: String?
        let made, expires, state: String

        init(_ token: AccessToken, now: UnixSeconds) {
            id = token.id
            role = token.role.word
            if case .partner(let partner, let app) = token.role {
                (self.app, self.partner) = (app.text, partner.text)
            } else {
                (app, partner) = (nil, nil)
            }
            note = token.note
            made = Terminal.instant(token.createdAt)
            expires = Terminal.instant(token.expiresAt)
            let unlessTakenBack = now < token.expiresAt ? "good" : "expired"
            state = token.revokedAt.map { "taken back \(Terminal.instant($0))" } ?? unlessTakenBack
        }
    }

    private static func withStore<Value: Sendable>(
        _ place: Place, _ body: (AccessStore) async throws -> Value
    ) async throws -> Value {
        try await DatabaseAccess.use(place) { settings in
            let store = AccessStore(settings)
            defer { store.close() }
            return try await body(store)
        }
    }

    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a token and shows it, once.",
            usage: "throng token new --partner <name> --plan <file> | --analyst | --operator [<options>]",
            discussion: """
                --partner lets one partner of one app see its own reports, and comes with a link that signs in once; --analyst shows all that was released, of every \
                app in the database, as the role throng_analyst sees it; --operator shows the daemon's health.

                EXAMPLES
                  throng token new --partner acme --plan plan.yaml --data ./data
                  throng token new --operator --days 30 --data ./data
                """)

        @OptionGroup var plans: PlanFiles
        @OptionGroup var place: Place
        @Option(help: ArgumentHelp("A partner of the plan.", valueName: "name")) var partner: String?
        @Flag(help: "For an analyst.") var analyst = false
        @Flag(help: "For whoever runs the daemon.") var `operator` = false
        @Option(help: ArgumentHelp("How long it opens anything, 1 to 400.", valueName: "days")) var days = 90
        @Option(help: ArgumentHelp("Whom it is given to, for your own list.", valueName: "text")) var note: String?
        @Flag(help: "Prints it and its public part as JSON.") var json = false

        private struct Made: Encodable {
            let id, token, expires: String
            /// The link that signs a partner in once; without an address before it where this machine's settings say none.
            let link: String?
        }

        func validate() throws {
            guard [partner != nil, analyst, self.operator].count(where: { $0 }) == 1 else {
                throw ValidationError("Name one of --partner NAME, --analyst and --operator.")
            }
            guard (1...400).contains(days) else { throw ValidationError("--days takes 1 to 400; found \(days).") }
        }

        func run() async throws {
            let role = try role()
            let secret = AccessSecret()
            let now = UnixClock.system.now
            let token = AccessToken(
                id: secret.id, role: role, note: note, createdAt: now, expiresAt: now + Int64(days) * 86_400)
            let link = partner == nil ? nil : SignInLink()
            try await TokenCommand.withStore(place) { try await $0.add(token, secret, link: link) }
            let pages = Self.pages
            let way = link.map { "\(pages ?? "/")sign-in?link=\($0.text)" }
            Terminal.talk("Give this to its owner over a channel that you trust; it is not shown again.")
            let made = Made(id: token.id, token: secret.text, expires: Terminal.instant(token.expiresAt), link: way)
            if json { try Terminal.json(made) } else { Terminal.data(secret.text) }
            Terminal.talk(
                "Its owner signs in at \(pages ?? "the address of `throng serve --portal`, or of your proxy before it")."
            )
            if let way { Terminal.talk("Or once, within seven days and without the token, by this link: \(way)") }
        }

        /// The address of the pages, with a slash at the end; nil where this machine's settings say none.
        private static var pages: String? {
            do {
                let settings = try Settings.ofMachine()
                guard let portal = settings.value(of: .portal)?.text, let colon = portal.lastIndex(of: ":") else {
                    return nil
                }
                let scheme = settings.value(of: .certificate) == nil ? "http" : "https"
                let isAnywhere = ["", "0.0.0.0", "[::]"].contains(portal[..<colon])
                return "\(scheme)://\(isAnywhere ? "localhost" : portal[..<colon])\(portal[colon...])/"
            } catch {
                // A file of settings that can't be read is the daemon's affair, which says so.
                return nil
            }
        }

        /// Only a partner is somebody in a plan.
        private func role() throws -> AccessRole {
            guard let partner else { return analyst ? .analysis : .operations }
            let plans = try plans.read()
            let found = plans.filter { plan in plan.partners.contains { $0.name.text == partner } }
            guard let plan = found.first, found.count == 1 else {
                let known = plans.flatMap { plan in plan.partners.map(\.name.text) }.joined(separator: ", ")
                throw CommandFailure(
                    found.isEmpty
                        ? "The plans know no partner '\(partner)'; their partners are \(known)."
                        : "\(found.count) plans have a partner '\(partner)': name the one app's plan with --plan.")
            }
            return .partner(PartnerName(partner), of: plan.app.name)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows all tokens that were ever made.", discussion: "EXAMPLE\n  throng token list --data ./data")

        @OptionGroup var place: Place
        @Flag(help: "Prints them as JSON.") var json = false

        func run() async throws {
            let tokens = try await TokenCommand.withStore(place) { try await $0.tokens() }
            let lines = tokens.map { Line($0, now: UnixClock.system.now) }
            if json { return try Terminal.json(lines) }
            if lines.isEmpty { return Terminal.talk("No token was made yet; `throng token new` makes one.") }
            for line in lines {
                let whose = [line.partner.map { "\($0) of \(line.app ?? "")" }, line.note].compactMap { $0 }
                Terminal.data(
                    "\(line.id)  \(line.role)  \(line.state), until \(line.expires)"
                        + (whose.isEmpty ? "" : "  \(whose.joined(separator: ", "))"))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a token back: whoever signed in with it is out at the next click.",
            discussion: "EXAMPLE\n  throng token revoke 3f9c1b7a --data ./data")

        @OptionGroup var place: Place
        @Argument(help: ArgumentHelp("Its public part, as the list shows it.", valueName: "id")) var id: String

        func run() async throws {
            guard
                try await TokenCommand.withStore(place, { try await $0.revoke(id, now: UnixClock.system.now) })
            else { throw CommandFailure("There is no token '\(id)'. `throng token list` shows them.") }
            Terminal.talk("Taken back.")
        }
    }
}
