internal import CLibPQ
internal import ThrongSystem

extension Session {
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
            do {
                answers.append(try results(of: statement.name))
            } catch {
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
        do {
            value = try work()
        } catch {
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
        do {
            try query("transaction.rollback", "rollback")
        } catch {
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
