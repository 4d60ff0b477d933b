// Package consent keeps what people were shown and what they allowed, up to the push:
// reports, permissions, and the approvals, allowances and extensions that a permission gives.
// Each is written only while it counts, by compare and set, fails with record.ErrStale or
// ErrNotApproved otherwise, and is recorded in the audit in the same transaction. A Register
// reads their rows.
package consent
