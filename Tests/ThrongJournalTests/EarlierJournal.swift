import Crypto
import Foundation
import ThrongCounting
import ThrongPlan

@testable import ThrongJournal

/// A journal as earlier versions wrote it, by their specification: a THRONGJ2 of two batches, then a THRONGJ3 of a batch and a
/// closing.
enum EarlierJournal {
    static let layout = MetricLayout(
        app: "shop", metric: "often", purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
        dimensions: [
            .init(name: "os", labels: ["ios", "other"], partitionsDevices: true, rule: "list"),
            .init(name: "times", labels: ["1", ">=2"], partitionsDevices: true, rule: "frequency [1, 2]"),
        ],
        sums: [], contributionBound: 1, groupings: [.total], within: .frequency(bands: [1, 2]))

    static let records: [CountedRecord] = [
        .batch(Workshop.record(1)), .batch(Workshop.record(2)), .batch(advanced), .closing(closing),
    ]

    private static var advanced: CountedBatch {
        let plain = Workshop.record(3)
        return CountedBatch(
            position: plain.position, window: plain.window, batch: plain.batch, identifier: plain.identifier,
            answer: plain.answer, additions: plain.additions, appearances: plain.appearances,
            advances: [.init(metric: 1, cell: CellIndex(2), periodStart: UnixSeconds(1_795_132_800), progress: 3)])
    }
    private static var closing: WindowClosing {
        WindowClosing(
            position: JournalPosition(4), window: Workshop.record(4).window,
            additions: [.init(metric: 1, cell: CellIndex(1), periodStart: UnixSeconds(1_795_132_800), identifiers: 7)])
    }

    static func write(to workshop: Workshop) throws {
        let data = try DataDirectory(path: workshop.path)
        defer { data.unlock() }
        let key = try KeyRing(data).key(of: Workshop.record(1).window)
        for layout in [Workshop.layout, layout] { try data.keep(layout) }
        for (generation, magic) in [(UInt32(1), "THRONGJ2"), (2, "THRONGJ3")] {
            let saysKind = generation == 2
            var segment = ByteWriter(bytes: Array(magic.utf8))
            let records = Array(records[saysKind ? 2..<4 : 0..<2])
            let (nonce, first) = (generation &* 77, records[0].position.value)
            segment.add(generation)
            segment.add(nonce)
            segment.add(first)
            segment.add(UInt32(saysKind ? 2 : 1))
            for layout in [Workshop.layout, layout].prefix(saysKind ? 2 : 1) {
                segment.bytes += layout.id.bytes
            }
            segment.add(CRC32C.checksum(segment.bytes))
            var head = ByteWriter()
            head.add(first)
            head.add(key.name)
            head.add(UInt32(records.count))
            var number = ByteWriter()
            number.add(nonce)
            number.add(first)
            let sealed = try AES.GCM.seal(
                records.flatMap { plaintext($0, saysKind: saysKind) }, using: key.secret,
                nonce: AES.GCM.Nonce(data: number.bytes), authenticating: head.bytes)
            let body = head.bytes + sealed.ciphertext + sealed.tag
            segment.add(UInt32(body.count))
            segment.add(CRC32C.checksum(body))
            segment.bytes += body
            try Data(segment.bytes).write(to: URL(filePath: "\(workshop.path)/journal/000000000\(generation).journal"))
        }
    }

    private static func plaintext(_ record: CountedRecord, saysKind: Bool) -> [UInt8] {
        var bytes = ByteWriter()
        switch record {
        case .batch(let batch):
            if saysKind { bytes.add(UInt8(0)) }
            for word in [batch.batch.high, batch.batch.low, batch.identifier.high, batch.identifier.low] {
                bytes.add(word)
            }
            bytes.add(UInt32(batch.answer.accepted))
            bytes.add(UInt32(batch.answer.refused.count))
            for refusal in batch.answer.refused {
                bytes.add(UInt32(refusal.index))
                bytes.add(refusal.reason.code)
            }
            bytes.add(UInt32(batch.additions.count))
            for addition in batch.additions {
                bytes.add(UInt16(addition.metric) | (addition.firsts.isEmpty ? 0 : 0x8000))
                bytes.add(addition.cell.value)
                bytes.add(addition.periodStart.value)
                bytes.add(addition.count)
                for sum in addition.sums { bytes.add(sum) }
                if !addition.firsts.isEmpty { bytes.add(addition.firsts.bits) }
            }
            bytes.add(UInt32(batch.appearances.count))
            for appearance in batch.appearances {
                bytes.add(UInt16(appearance.metric))
                bytes.add(UInt8(appearance.margin))
                bytes.add(appearance.cell.value)
                bytes.add(appearance.periodStart.value)
            }
            guard saysKind else { break }
            bytes.add(UInt32(batch.advances.count))
            for advance in batch.advances {
                bytes.add(UInt16(advance.metric))
                bytes.add(advance.cell.value)
                bytes.add(advance.periodStart.value)
                bytes.add(advance.progress)
            }
        case .closing(let closing):
            bytes.add(UInt8(1))
            bytes.add(UInt32(closing.additions.count))
            for addition in closing.additions {
                bytes.add(UInt16(addition.metric))
                bytes.add(addition.cell.value)
                bytes.add(addition.periodStart.value)
                bytes.add(addition.identifiers)
            }
        case .withdrawal, .removalRequest, .removal: break
        }
        return bytes.bytes
    }
}
