/// The JSON Schema of plans, by which editors complete them.
package enum PlanSchema {
    /// The name of its file.
    package static let fileName = "plan.schema.json"
    /// The file's bytes.
    package static var bytes: [UInt8] { PackageResources.plan_schema_json }
}
