module jobharness/kit

go 1.24
