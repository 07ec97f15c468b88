module example.test/core

go 1.26

require example.test/plugin v0.0.0

replace example.test/plugin => ./plugin
