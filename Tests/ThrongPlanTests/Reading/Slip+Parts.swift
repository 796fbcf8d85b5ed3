extension Slip {
    static let dimensions = [
        Slip(
            "bands: [10, 20, 30]", "bands: [10, 20, 20]",
            "22:21: dimension 'age': 'bands': 20 follows 20, so two bands overlap; edges ascend"),
        Slip(
            "bands: [10, 20, 30]", "bands: [10, 5]",
            "22:17: dimension 'age': 'bands': 5 follows 10, so two bands overlap; edges ascend"),
        Slip(
            "bands: [10, 20, 30]", "bands: [10, .inf]",
            "22:17: dimension 'age': 'bands': found '.inf'; a number such as 10 or 0.5 is allowed"),
        Slip(
            "bands: [10, 20, 30]", "bands: [10]\n    list: [a]",
            "19:3: dimension 'age' coarsens its field in 2 ways: list, bands; keep one"),
        Slip(
            "field: age", "field: at",
            "21:12: dimension 'age': 'at' is the event's own time; 'time' splits it, 'bands' can't"),
        Slip("    field: age\n", "", "19:3: dimension 'age': 'field' is missing; name the field that 'bands' coarsens"),
        Slip(
            "bands: [10, 20, 30]", "list: {a: [b], c: [b]}",
            "22:24: dimension 'age': 'list': 'b' belongs to the bucket 'a' already; a value has one bucket"),
        Slip(
            "bands: [10, 20, 30]", "list: [a, other]",
            "22:15: dimension 'age': 'list': every bucketing has a bucket 'other' of its own; leave it out"),
        Slip(
            "bands: [10, 20, 30]", "region: {a: [Norway]}",
            """
            22:18: dimension 'age': 'region': 'Norway' is no country; two capital letters are allowed (ISO 3166-1), \
            such as DE
            """
        ),
        Slip(
            "bands: [10, 20, 30]", "route: [/a]\n    partitions: devices",
            """
            23:17: dimension 'age': 'partitions: devices' is for what a device is; this says what it does, and one \
            device does many things: leave it out
            """
        ),
        Slip(
            "bands: [10, 20, 30]", "utc_offset: {band_hours: 5}",
            """
            22:17: dimension 'age': 'utc_offset': a day has no whole number of bands of 5 hours; 1, 2, 3, 4, 6, 8, \
            12 are allowed
            """
        ),
        Slip(
            "bands: [10, 20, 30]", "device_class: all",
            "22:19: dimension 'age': 'device_class': found 'all'; only the word 'standard' is allowed"),
    ]

    static let metrics = [
        Slip("    owner: Team\n    expires", "    expires", "24:3: metric 'views': 'owner' is missing; add it"),
        Slip("    expires: 2027-06-30\n", "", "24:3: metric 'views': 'expires' is missing; add it"),
        Slip(
            "2027-06-30", "2027-11-22",
            """
            30:14: metric 'views': 'expires' is 2027-11-22, more than a year ahead; 2027-11-21 is the latest: \
            renewing is a decision, too
            """
        ),
        Slip(
            "period: day\n    measures", "period: day\n    threshold: 10\n    measures",
            "34:16: metric 'views': 'threshold' is 10, under the app's 20; a metric may only ask for more"),
        Slip(
            "period: day\n    measures", "period: day\n    contribution_bound: 1000001\n    measures",
            "34:25: metric 'views': 'contribution_bound' is 1000001; 1 to 1000000 is allowed"),
        Slip(
            "period: day\n    measures", "period: day\n    sampling: 0\n    measures",
            "34:15: metric 'views': 'sampling' is 0; 0.000001 to 1 with at most 6 decimal places is allowed"),
        Slip(
            "period: day\n    measures", "period: day\n    sampling: 0.0000001\n    measures",
            "34:15: metric 'views': 'sampling' is 1e-07; 0.000001 to 1 with at most 6 decimal places is allowed"),
        Slip(
            "period: day\n    measures", "period: day\n    sampling: 0.1234567\n    measures",
            "34:15: metric 'views': 'sampling' is 0.1234567; 0.000001 to 1 with at most 6 decimal places is allowed"),
        Slip(
            "period: day\n    measures", "period: day\n    margins: [[os], [os]]\n    measures",
            "34:21: metric 'views': 'margins': this grouping is listed twice; keep one"),
        Slip(
            "period: day\n    measures", "period: day\n    decay: [{after: 30 days, drop: oss}]\n    measures",
            """
            34:36: metric 'views': 'decay': 'drop': unknown dimension of this metric 'oss'; did you mean 'os'? \
            known: os, age
            """
        ),
        Slip(
            "period: day\n    measures",
            "period: day\n    decay: [{after: 30 days, drop: os}, {after: 2 days, delete: all}]\n    measures",
            "34:41: metric 'views': 'decay': a step after 2 days follows one after 30 days; order them by age"),
        Slip(
            "from: 0, to: 500", "from: 500, to: 0",
            """
            36:38: metric 'views': 'measures': 'sums' 'spent': from 500 is not under to 0; values are clipped to \
            from…to
            """
        ),
        Slip(
            "to: 500", "to: 1e12",
            """
            36:45: metric 'views': 'measures': 'sums' 'spent': a million values of 1000000000000 with 2 decimals \
            overflow a counter; bounds under 92233720368 are allowed
            """
        ),
        Slip(
            "reach: true", "reach: true\n      count: false",
            "38:14: metric 'views': 'measures': 'count' is false; every metric counts its events: leave it out"),
        Slip(
            "reach: true", "histogram: {name: os, field: amount, edges: [1]}\n      reach: true",
            "34:5: metric 'views': 'measures': 'os' is a dimension or measure of this metric already; rename it"),
    ]

    static let insights = [
        Slip(
            "kind: count", "kind: sum",
            """
            42:11: insight 'by_system': 'kind': found 'sum'; allowed: count, reach, share, mean, distribution, \
            quantiles, retention, frequency, funnel
            """
        ),
        Slip(
            "kind: count", "kind: mean",
            "39:3: insight 'by_system': 'sum' is missing; name the sum whose mean is asked for"),
        Slip(
            "kind: count", "kind: mean\n    sum: spend",
            """
            43:10: insight 'by_system': 'sum': unknown sum of metric 'views' 'spend'; did you mean 'spent'? known: \
            spent
            """
        ),
        Slip(
            "kind: count", "kind: count\n    sum: spent",
            "43:10: insight 'by_system': 'sum' belongs to a mean; a count has none: leave it out"),
        Slip(
            "kind: count", "kind: distribution",
            """
            42:11: insight 'by_system': metric 'views' has no histogram; add one to its measures or ask for another \
            kind
            """
        ),
        Slip(
            "kind: count", "kind: share",
            "39:3: insight 'by_system': 'basis' is missing; a share is one of events or devices"),
        Slip(
            "kind: count\n    by: [os]", "kind: share\n    basis: events",
            """
            39:3: insight 'by_system': a share needs a 'part', such as {os: iOS}, or a 'by' whose buckets are the \
            parts
            """
        ),
        Slip(
            "by: [os]", "by: [os]\n    where: {os: iOS}",
            "44:12: insight 'by_system': 'where': 'os' is in 'by' already; one bucket of it can't be split further"),
        Slip(
            "by: [os]", "where: {os: IOS}",
            """
            43:17: insight 'by_system': 'where': 'os' has no bucket 'IOS'; did you mean 'iOS'? known: Windows, \
            macOS, iOS, Android, Linux, ChromeOS, other
            """
        ),
        Slip(
            "by: [os]", "where: {oss: iOS}",
            """
            43:13: insight 'by_system': 'where': unknown dimension of its metric 'oss'; did you mean 'os'? known: \
            os, age
            """
        ),
        Slip(
            "kind: count\n    by: [os]", "kind: share\n    basis: events\n    by: [os]\n    part: {os: iOS}",
            """
            45:11: insight 'by_system': 'part': 'os' is in 'by' or 'where' already; a part needs a dimension of its \
            own
            """
        ),
    ]

    static let reports = [
        Slip(
            "\n    deliver: [{folder: out}]", "",
            "54:15: report 'daily' has a schedule and no 'deliver', so it would go nowhere; say where it goes"),
        Slip(
            "period: day\n    schedule", "period: week\n    schedule",
            """
            53:13: report 'daily' covers a week, but insight 'by_system' reads metric 'views', which counts by day; \
            use one period, or 'rollups: [week]' in the metric
            """
        ),
        Slip(
            "0 6 * * *", "0 24 * * *",
            "54:15: report 'daily': 'schedule': the hour '24' does not exist; 0 to 23 are allowed"),
        Slip(
            "schedule: 0 6 * * *", "formats: [html, odt]",
            "54:21: report 'daily': 'formats': found 'odt'; allowed: html, pdf, csv, json, xlsx, svg, png"),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]", "    deliver: [{folder: ../x}]",
            """
            54:24: report 'daily': 'deliver': 'folder': found '../x'; a path without ~ and .. is allowed, absolute \
            or in the daemon's data directory
            """
        ),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]", "    deliver: [{folder: 's3://key:SECRET@b/x'}]",
            """
            54:24: report 'daily': 'deliver': 'folder': found an address, s3://…; a path on this machine is allowed. Write \
            there, and have a program of yours take the files on, or name an https address as 'put' or 'post'
            """
        ),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]", "    deliver: [{put: 'http://a.example/'}]",
            """
            54:21: report 'daily': 'deliver': 'put': found 'http://a.example/'; https://HOST/PATH is allowed, without \
            user, query and fragment, and with a slash at the end, after which the file's name is put
            """
        ),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]",
            "    deliver: [{post: 'https://a.example/in', authorization: Bearer abc}]",
            """
            54:61: report 'daily': 'deliver': 'authorization': the name of a file in the operator's folder of secrets \
            is allowed (a to z, 0 to 9, _ and -), never the secret itself
            """
        ),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]",
            "    deliver: [{folder: out, post: 'https://a.example/in'}]",
            "54:15: report 'daily': 'deliver': one of 'folder', 'put', 'post' and 'mail' is needed; found 2"),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]", "    deliver: [{folder: out, authorization: a}]",
            "54:44: report 'daily': 'deliver': 'authorization': only 'put' and 'post' have one"),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]",
            """
                deliver:
                  - {put: 'https://a.example/in/', authorization: one}
                  - {put: 'https://a.example/in/', authorization: two}
            """,
            "56:9: report 'daily': 'deliver': 'https://a.example/in/' is listed twice; keep one"),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]",
            "    deliver: [{mail: Ms Miller <m@bank.example>}]",
            """
            54:22: report 'daily': 'deliver': 'mail': found 'Ms Miller <m@bank.example>'; one address is allowed, \
            NAME@HOST.DOMAIN in ASCII, without a name before it; a list of 'mail' has one for each reader
            """
        ),
        Slip(
            "    schedule: 0 6 * * *\n    deliver: [{folder: out}]",
            """
                deliver:
                  - {mail: m@bank.example}
                  - {mail: m@bank.example}
            """,
            "56:9: report 'daily': 'deliver': 'm@bank.example' is listed twice; keep one"),
    ]
}
