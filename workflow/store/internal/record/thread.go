package record

// OthersInThread selects the ids of the sessions of the other repositories of the thread of the session $1.
const OthersInThread = `select other.id from sessions own join sessions other
	on coalesce(own.part_of, own.id) in (other.id, other.part_of)
	where own.id = $1 and other.id <> own.id and other.cleared_at is null`
