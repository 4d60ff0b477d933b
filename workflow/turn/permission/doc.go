// Package permission decides whose word counts: who may approve here, whose asking permits
// what is to be built, and whose words wait for somebody who may approve.
//
// A permission is one row that is made from one message or press, of the person who wrote or
// made it, read afresh from Slack. NewPermission is its only maker; the schema refuses one
// that names somebody else's message (migrations/00015_permissions.sql). Where Slack does
// not answer, the answer is no.
package permission
