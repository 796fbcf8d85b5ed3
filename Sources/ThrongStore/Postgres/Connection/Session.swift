internal import CLibPQ
internal import Foundation
internal import Glibc
internal import Synchronization
internal import ThrongSystem

/// An open connection, lent to one piece of work on the connection's thread, which it must not outlive.
package final class Session {
    /// libpq's handle; lives as long as this object.
    let handle: OpaquePointer
    var cancellation = Cancellation()
    /// Set once the connection can't be used any more.
    private(set) var isBroken = false
    /// The keys of what ``once(_:_:)`` has done on this connection.
    private var done: Set<String> = []
    /// The server at the other end; nil until it has said so.
    private(set) var server: ServerIdentity?
    private let timeoutSeconds: Int
    private let patienceSeconds: Int
    private let connectTimeoutSeconds: Int
    private let watch: ServerWatch
    private let notices = Notices()

    /// The time between two checks for cancellation during a wait. Unit: milliseconds.
    private static let sliceMilliseconds: Int32 = 100

    /// Connects, takes on the role and sets the session's time limits.
    init(_ settings: ConnectionSettings) throws {
        (timeoutSeconds, patienceSeconds) = (settings.statementTimeoutSeconds, settings.patienceSeconds)
        (connectTimeoutSeconds, watch) = (settings.connectTimeoutSeconds, ServerWatch(settings))
        handle = try Session.connect(settings)
        // The deinit closes the handle from here on, also when this initializer throws.
        guard PQsetnonblocking(handle, 1) == 0 else {
            throw PostgresError.unreachable(reason: "the connection can't be made non-blocking")
        }
        notices.listen(to: handle)
        server = try configure(settings)
        if let role = settings.role { try query("session.set_role", "set role \(role.rawValue)") }
    }

    /// Sets the session's time limits; returns the server that it is on.
    private func configure(_ settings: ConnectionSettings) throws -> ServerIdentity {
        let answer = try query(
            "session.configure",
            """
            select (extract(epoch from pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint,
                pg_catalog.pg_is_in_recovery(),
                set_config('statement_timeout', $1, false),
                set_config('idle_in_transaction_session_timeout', $1, false),
                set_config('lock_timeout', $2, false),
                set_config('client_connection_check_interval', '2s', false),
                set_config('client_min_messages', 'warning', false),
                set_config('search_path', 'pg_catalog', false)
            """, [.text(String(timeoutSeconds * 1000)), .text(String(settings.lockTimeoutSeconds * 1000))])
        guard answer.count == 1 else { throw answer.unexpected }
        return ServerIdentity(postmaster: try answer.integer(0, 0), isReplica: try answer.flag(0, 1))
    }

    deinit { PQfinish(handle) }

    /// The server's version as it numbers itself: 150008 for 15.8.
    package var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// True if the next piece of work may use it; false also when the server has hung up meanwhile.
    var isUsable: Bool { !isBroken && PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK && isIdle }

    /// True if no transaction and no statement is under way.
    package var isIdle: Bool { !isBroken && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// Runs `body` at most once a connection, for example to create temporary tables.
    package func once(_ key: String, _ body: () throws -> Void) rethrows {
        guard !done.contains(key) else { return }
        try body()
        done.insert(key)
    }

    /// Marks the connection as unusable and returns the reason.
    func broken(_ error: PostgresError) -> PostgresError {
        isBroken = true
        return error
    }

    private static func connect(_ settings: ConnectionSettings) throws(PostgresError) -> OpaquePointer {
        guard let options = ConnectionOptions(settings.connectionString) else { throw .connectionStringInvalid }
        let keywords = settings.keywords
        let names = keywords.map { strdup($0.name) }
        let values = keywords.map { strdup($0.value) }
        defer { (names + values).forEach { free($0) } }
        let connection = PQconnectdbParams(
            names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
        guard let connection else { throw .unreachable(reason: "libpq is out of memory") }
        guard PQstatus(connection) == CONNECTION_OK else {
            defer { PQfinish(connection) }
            let reason = String(cString: PQerrorMessage(connection))
                .split(whereSeparator: \.isNewline).joined(separator: "; ")
            throw .unreachable(reason: options.hidingSecrets(in: reason))
        }
        return connection
    }

    /// Sends what libpq still buffers and waits until an answer can be taken without blocking.
    func waitForResult(of query: String) throws {
        let deadline = deadline()
        try flush(query, until: deadline)
        while PQisBusy(handle) == 1 {
            try wait(for: Int16(POLLIN), query, until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw broken(.connectionLost(query: query)) }
        }
    }

    func flush(_ query: String, until deadline: ContinuousClock.Instant) throws {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                // The server may be waiting for us to read before it reads on.
                try wait(for: Int16(POLLIN | POLLOUT), query, until: deadline)
                guard PQconsumeInput(handle) == 1 else { throw broken(.connectionLost(query: query)) }
            default: throw broken(.connectionLost(query: query))
            }
        }
    }

    /// Returns the time at which a wait that begins now ends in ``PostgresError/timedOut(query:seconds:)``.
    func deadline() -> ContinuousClock.Instant { .now + .seconds(limitSeconds) }

    /// The time limit of an answer; that of connecting until the server has said who it is. Unit: seconds.
    private var limitSeconds: Int { server == nil ? connectTimeoutSeconds : timeoutSeconds + patienceSeconds }

    /// Returns whether a commit since the last call ended before its synchronous replica had it.
    func takeUnreplicated() -> Bool { notices.takeUnreplicated() }

    /// Waits until the connection can be read or written, or fails if another server has taken this one's place.
    func wait(for events: Int16, _ query: String, until deadline: ContinuousClock.Instant) throws {
        var look = ServerWatch.next
        while true {
            if cancellation.isCancelled {
                _ = broken(.closed)
                throw CancellationError()
            }
            var watched = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            let ready = poll(&watched, 1, Session.sliceMilliseconds)
            if ready > 0 { return }
            if ready < 0 && errno != EINTR { throw broken(.connectionLost(query: query)) }
            let now = ContinuousClock.now
            if now >= deadline { throw broken(.timedOut(query: query, seconds: limitSeconds)) }
            if watch.isReplaced { throw broken(.connectionLost(query: query)) }
            if let server, now >= look {
                watch.look(whetherReplaced: server)
                look = ServerWatch.next
            }
        }
    }

    @discardableResult package func query(_ statement: Statement) throws -> Rows {
        try send(statement)
        return try results(of: statement.name)
    }

    @discardableResult
    package func query(_ name: String, _ sql: String, _ parameters: [Parameter] = []) throws -> Rows {
        try query(Statement(name: name, sql: sql, parameters: parameters))
    }

    @discardableResult func query(_ name: String, _ sql: String, with values: any ParameterValue...) throws -> Rows {
        try query(name, sql, values.flatMap(\.parameters))
    }

    /// Runs several statements in one round trip, and in one transaction; after one fails the others do not run.
    package func pipeline(_ statements: [Statement]) throws -> [Rows] {
        guard PQenterPipelineMode(handle) == 1 else { throw broken(.connectionLost(query: "pipeline.begin")) }
        for statement in statements {
            FaultPoint.reached("before_\(statement.name)") { _ = PQflush(handle) }
            try send(statement)
            FaultPoint.reached("after_\(statement.name)") { _ = PQflush(handle) }
        }
        guard PQpipelineSync(handle) == 1 else { throw broken(.connectionLost(query: "pipeline.sync")) }
        var answers: [Rows] = []
        var failure: (any Error)?
        for statement in statements {
            do { answers.append(try results(of: statement.name)) } catch {
                if isBroken || error is CancellationError { throw error }
                failure = failure ?? error
            }
        }
        try waitForResult(of: "pipeline.sync")
        guard let sync = PQgetResult(handle) else { throw broken(.connectionLost(query: "pipeline.sync")) }
        let isSynchronised = PQresultStatus(sync) == PGRES_PIPELINE_SYNC
        PQclear(sync)
        guard isSynchronised, PQexitPipelineMode(handle) == 1 else {
            throw broken(.unexpectedAnswer(query: "pipeline.sync"))
        }
        if let failure { throw failure }
        FaultPoint.reached("answered_\(statements.last?.name ?? "")")
        return answers
    }

    /// Runs work in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// - Throws: ``PostgresError/connectionLost(query:)`` where the answer to COMMIT is lost; it may have taken effect.
    package func transaction<Value>(_ work: () throws -> Value) throws -> Value {
        try query("transaction.begin", "begin")
        let value: Value
        do { value = try work() } catch {
            try rollBack()
            throw error
        }
        try commit()
        return value
    }

    /// Commits. An aborted transaction counts as a failure although PostgreSQL reports none. So does one that its
    /// synchronous replica may not have: ``PostgresError/unreplicated(query:)``.
    package func commit() throws {
        guard try query("transaction.commit", "commit").command == "COMMIT" else {
            throw PostgresError.unexpectedAnswer(query: "transaction.commit")
        }
    }

    /// Rolls back, unless the connection is gone, which rolls back too.
    package func rollBack() throws {
        guard !isBroken else { return }
        do { try query("transaction.rollback", "rollback") } catch {
            // The error that led here is the one to report; this connection is not used again.
            _ = broken(.connectionLost(query: "transaction.rollback"))
        }
    }

    /// Runs several statements without parameters, such as a migration's file.
    package func execute(script: String, name: String) throws {
        guard PQsendQuery(handle, script) == 1 else { throw broken(.connectionLost(query: name)) }
        _ = try results(of: name)
    }

    private func send(_ statement: Statement) throws {
        // All values lie in one buffer, each followed by NUL, which text parameters need.
        var flat: [UInt8] = []
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        var formats: [Int32] = []
        for parameter in statement.parameters {
            let (bytes, isBinary) = parameter.encoded
            offsets.append(bytes == nil ? nil : flat.count)
            lengths.append(Int32(bytes?.count ?? 0))
            formats.append(isBinary ? 1 : 0)
            flat += bytes ?? []
            flat.append(0)
        }
        let isSent = flat.withUnsafeBytes { buffer in
            let values = offsets.map { offset in
                offset.flatMap { buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            return PQsendQueryParams(handle, statement.sql, Int32(values.count), nil, values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw broken(.connectionLost(query: statement.name)) }
    }

    /// Takes all results of one statement; returns the last, throws the first failure.
    package func results(of query: String) throws -> Rows {
        var last: Rows?
        var failure: PostgresError?
        while true {
            try waitForResult(of: query)
            guard let result = PQgetResult(handle) else { break }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: last = Rows(result, query: query)
            case PGRES_COPY_IN, PGRES_COPY_OUT: return Rows(result, query: query)
            case PGRES_PIPELINE_ABORTED:
                PQclear(result)
                failure = failure ?? .unexpectedAnswer(query: query)
            default:
                failure = failure ?? refusal(result, query)
                PQclear(result)
                if PQstatus(handle) != CONNECTION_OK { throw broken(.connectionLost(query: query)) }
            }
        }
        let isUnreplicated = takeUnreplicated()
        if let failure { throw failure }
        guard let last else { throw broken(.connectionLost(query: query)) }
        if isUnreplicated { throw PostgresError.unreplicated(query: query) }
        return last
    }

    private func refusal(_ result: OpaquePointer, _ query: String) -> PostgresError {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        // These are PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_TABLE_NAME and PG_DIAG_CONSTRAINT_NAME. The
        // detail and a data exception's message are left out: they quote values.
        let state = SQLState(field("C") ?? "08006")
        // The server became a replica, or takes no writes: another connection may come to one that does.
        if state == .readOnly { _ = broken(.connectionLost(query: query)) }
        var message = state.isDataException ? "a value does not fit its type" : field("M") ?? "no message"
        if let table = field("t") { message += " (table \(table))" }
        if let constraint = field("n") { message += " (constraint \(constraint))" }
        return .statementFailed(query: query, state: state, message: message)
    }
}

/// The server's notices, of which one fact is kept: they may quote values. Used on the connection's thread only.
final class Notices {
    /// True if a commit ended without the replica that it was to wait for.
    private var isUnreplicated = false

    /// Listens to a connection, which must not outlive this object.
    func listen(to handle: OpaquePointer) {
        PQsetNoticeReceiver(
            handle,
            { notices, result in
                guard let notices, let result else { return }
                // This is PG_DIAG_SOURCE_FUNCTION: the text is in the server's language, and its code is that of any
                // warning.
                guard let place = PQresultErrorField(result, Int32(UnicodeScalar("R").value)) else { return }
                guard String(cString: place) == Notices.wait else { return }
                Unmanaged<Notices>.fromOpaque(notices).takeUnretainedValue().isUnreplicated = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Returns whether a commit since the last call was not replicated.
    func takeUnreplicated() -> Bool {
        defer { isUnreplicated = false }
        return isUnreplicated
    }

    /// The function in which PostgreSQL waits for synchronous replicas, and warns that it gives up.
    private static let wait = "SyncRepWaitForLSN"
}

struct ServerIdentity: Sendable, Hashable {
    /// The start of its postmaster by its own clock, which no two servers share. Unit: microseconds since 1970.
    let postmaster: Int64
    /// True if it follows another server and takes no writes.
    let isReplica: Bool
}

/// Finds out, while an answer is late, whether another server has replaced the one that is asked.
///
/// A leader that hangs, or that can't be reached any more, closes no connection: to TCP it looks like a statement that
/// takes long. But new connections come to its successor, by the connection string's hosts or by a proxy. So one is
/// made now and then, on a thread of its own. If it comes to the same server, or to none, the wait for the statement
/// goes on.
final class ServerWatch: Sendable {
    private struct State {
        var isUnderWay = false
        var isReplaced = false
    }

    private let settings: ConnectionSettings
    private let state = Mutex(State())

    /// The time that an answer may be late before the first look, and between two looks. Unit: seconds.
    private static let pauseSeconds = 3

    /// - Parameter settings: the settings of the session that is watched.
    init(_ settings: ConnectionSettings) { self.settings = settings.brisk(seconds: 1) }

    /// True if a look has found that another server takes writes now.
    var isReplaced: Bool { state.withLock { $0.isReplaced } }

    /// The time of the next look, for an answer that is waited for from now on.
    static var next: ContinuousClock.Instant { .now + .seconds(pauseSeconds) }

    /// Starts a look, without waiting for its result; does nothing while a look is under way.
    func look(whetherReplaced server: ServerIdentity) {
        let begins = state.withLock { state in
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        guard begins else { return }
        Thread.detachNewThread { [self] in
            Thread.current.name = "throng-watch"
            // If no server answers, there is none to go to.
            let found = try? Session(settings).server
            state.withLock { state in
                state.isUnderWay = false
                guard let found, !found.isReplica, found.postmaster != server.postmaster else { return }
                state.isReplaced = true
            }
        }
    }
}
