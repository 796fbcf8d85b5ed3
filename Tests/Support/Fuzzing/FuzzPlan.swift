package import ThrongIngest
internal import ThrongPlan
package import ThrongWire

/// A plan with a dimension of nearly every kind, a moment at which batches of it are taken, and who takes them.
package struct FuzzPlan: Sendable {
    /// 20 November 2026, noon.
    package static let now = UnixSeconds(1_795_176_000)
    /// The current window of its purposes, all of which change their identifiers each quarter of an hour.
    package static let window = now.flooredQuotient(by: 900)

    /// What the plan's metrics are counted in.
    package let space: CellSpace
    /// Reads batches of it.
    package let intake: Intake

    /// Reads the plan.
    package init() throws {
        let plan = try Plan(yaml: Self.yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        space = CellSpace(layouts: try plan.metrics.map { try plan.layout(of: $0, rules: .system) })
        intake = try Intake(plans: [plan], space: space, rules: .system)
    }

    /// Its text.
    package static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, time_zone: Europe/Vienna}
        purposes:
          product: {explanation: To see., consent: not_required, refused_by: [global_privacy_control],
            rotation: 15 minutes, retention: 30 days}
          agreed: {explanation: To sell., consent: required, consent_version: 2, rotation: 15 minutes, retention: 30 days}
        dimensions:
          os: {title: System, field: user_agent, operating_system: standard, partitions: devices}
          device: {title: Device, field: user_agent, device_class: standard, partitions: devices}
          screen: {title: Screen, field: screen, screen: standard, partitions: devices}
          channel: {title: Channel, field: channel, list: {Search: [organic, paid], Email: [email]}}
          version: {title: Version, field: version, version: {level: minor, known: ["17.4", "17.10"]}}
          tongue: {title: Language, field: language, language: [de, en, fr]}
          zone: {title: Zone, field: zone, utc_offset: {band_hours: 3}}
          country: {title: Region, field: country, region: standard}
          page: {title: Page, field: url, route: [/, "/product/:id", "/docs/*"]}
          site: {title: Site, field: url, host: [www.example.org]}
          file: {title: File, field: file, file_type: standard}
          memory: {title: Memory, field: memory, memory: standard}
          size: {title: Size, field: size, significant_figures: {digits: 1, from: 1, to: 1000}}
          far: {title: Distance, field: far, powers: {base: 10, from: -1, to: 3}}
          grade: {title: Grade, field: grade, bands: [-10, 0, 10.5]}
          hour: {title: Hour, time: hour}
          term: {title: Term, field: term, revealed: {most: 4}}
        metrics:
          views: {title: Views, events: [view], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, dimensions: [os, device, channel], measures: {reach: true}}
          screens: {title: Screens, events: [view, open], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: hour, dimensions: [screen, version, tongue]}
          places: {title: Places, events: [open], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, dimensions: [zone, country, hour]}
          pages: {title: Pages, events: [open], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, dimensions: [page, site, file]}
          searches: {title: Searches, events: [search], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, period: day, dimensions: [term], measures: {reach: true}}
          sales: {title: Sales, events: [purchase], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, dimensions: [memory, size, far, grade],
            measures: {sums: {paid: {field: amount, from: -5, to: 500, decimals: 2}}, reach: true}}
          orders: {title: Orders, events: [order], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: agreed, period: day, dimensions: [channel], measures: {reach: client}}
          often: {title: Often, events: [order], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: agreed, period: day, dimensions: [os], measures: {frequency: {bands: [1, 2, 4]}}}
        """
}
