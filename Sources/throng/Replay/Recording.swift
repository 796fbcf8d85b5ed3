import Foundation
import ThrongCrowd
import ThrongSystem
import ThrongWire

/// Turns the lines of a recording into batches.
struct Recording {
    let app: String?
    let purpose: String?
    /// True if recorded batches move to the window that is open now.
    let reopens: Bool
    let windows: RotationLookup

    private static let eventsPerBatch = 100

    private struct Line: Decodable {
        let events: [Batch.Event]?
    }

    private struct EventLine: Decodable {
        let event: String
        let at: String
        let fields: [String: Batch.Scalar]?
        let count: Int?
        let device: String?
        let context: [String: Batch.Scalar]?
    }

    func parcels(from lines: [Substring]) async throws -> [BatchSender.Parcel] {
        let decoder = JSONDecoder()
        var parcels: [BatchSender.Parcel] = []
        var open: Batch?
        var openDevice: String?
        var identifiers: [String: String] = [:]
        func close() throws {
            if let batch = open { parcels.append(try Self.parcel(batch)) }
            open = nil
        }
        for (place, line) in lines.enumerated() {
            let bytes = Data(line.utf8)
            do {
                if let events = try decoder.decode(Line.self, from: bytes).events {
                    try close()
                    parcels.append(try await parcel(line, bytes, events: events.count, decoder))
                    continue
                }
                let event = try decoder.decode(EventLine.self, from: bytes)
                guard let app, let purpose else {
                    throw CommandFailure("line \(place + 1) is an event: say --app and --purpose.")
                }
                let device = event.device ?? "-"
                let context = event.context ?? [:]
                if open == nil || openDevice != device || open?.context != context
                    || open?.events.count == Self.eventsPerBatch
                {
                    try close()
                    let identifier = identifiers[device] ?? BatchID.random().description
                    identifiers[device] = identifier
                    open = Batch(
                        app: app,
                        purpose: purpose,
                        window: try await windows.openWindow(app: app, purpose: purpose),
                        id: try await windows.hasIdentifiers(app: app, purpose: purpose) ? identifier : nil,
                        context: context,
                        events: [])
                    openDevice = device
                }
                open?.events.append(
                    Batch.Event(event: event.event, at: event.at, fields: event.fields, count: event.count))
            } catch let error as DecodingError {
                throw CommandFailure("line \(place + 1) is neither a batch nor an event: \(Self.words(for: error))")
            }
        }
        try close()
        return parcels
    }

    private func parcel(
        _ line: Substring, _ bytes: Data, events: Int, _ decoder: JSONDecoder
    ) async throws -> BatchSender.Parcel {
        guard reopens else { return BatchSender.Parcel(body: String(line), events: events) }
        var batch = try decoder.decode(Batch.self, from: bytes)
        batch.window = try await windows.openWindow(app: batch.app, purpose: batch.purpose)
        return try Self.parcel(batch)
    }

    private static func parcel(_ batch: Batch) throws -> BatchSender.Parcel {
        BatchSender.Parcel(
            body: String(decoding: try JSONEncoder().encode(batch), as: UTF8.self), events: batch.events.count)
    }

    private static func words(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "it has no \"\(key.stringValue)\"."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(context.codingPath.map(\.stringValue).joined(separator: "/")) has another type."
        default: "it is no JSON object."
        }
    }
}
