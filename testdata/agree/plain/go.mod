module example.test/plain

go 1.26
