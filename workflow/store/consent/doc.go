// Package consent stores what people were shown and what they allowed, up to the push: reports,
// permissions, and the approvals, allowances, extensions and removals that a permission gives, and what
// people object to.
// Permissions, approvals, allowances, removals and pushes are written by compare-and-set, only while
// they count, and fail with record.ErrStale or ErrNotApproved otherwise. All rows but extensions and
// amendments are recorded in the audit in the same transaction. A Register reads the rows.
package consent
