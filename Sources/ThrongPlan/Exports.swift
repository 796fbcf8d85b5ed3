// Names, buckets and calendars are words of the wire, which devices speak too. Whoever reads plans speaks them: one
// import says so, instead of two in every file that looks at a plan.
@_exported public import ThrongWire
