/// The JSON Schema of plans, by which editors complete them.
package enum PlanSchema {
    package static let fileName = "plan.schema.json"
    package static var bytes: [UInt8] { PackageResources.plan_schema_json }
}
