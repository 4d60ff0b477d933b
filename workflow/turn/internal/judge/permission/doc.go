// Package permission decides whose words count: who may approve here, whose request permits the work,
// and whose words wait until a person who may approve passes them on.
//
// A permission is one row. It is made from one message or press, of the person who wrote or pressed it,
// whose data is read anew from Slack. NewPermission is the only function that makes one; the database
// schema refuses a permission that names another person's message (migrations/00015_permissions.sql).
// If Slack does not answer, the answer is no.
package permission
