-- wrk sends bodies that were prepared: each under a batch name and an identifier of its own.
local path, seed = os.getenv("BENCH_PATH"), tonumber(os.getenv("BENCH_SEED"))
local window = os.getenv("BENCH_WINDOW")
local bodies = {}
for line in io.lines(os.getenv("BENCH_BODIES")) do bodies[#bodies + 1] = line end

local threads = 0
function setup(thread)
    thread:set("number", threads)
    threads = threads + 1
end

local heads, next = {}, 0
local open = window and '{"app":"bench","purpose":"product","window":' .. window .. ',"id":"' or ""
local extra = window and #open + 16 + 11 + 32 + 2 or 0
for place, body in ipairs(bodies) do
    heads[place] = "POST " .. path .. " HTTP/1.1\r\nHost: bench\r\nContent-Length: " .. (#body + extra) .. "\r\n\r\n" .. open
end
-- wrk takes line breaks of the line protocol as one line; they come back here.
if not window then
    for place, body in ipairs(bodies) do
        body = body:gsub("\t", "\n")
        bodies[place] = body
    end
end

function request()
    next = next + 1
    local place = next % #bodies + 1
    if not window then return heads[place] .. bodies[place] end
    return heads[place] .. string.format('%04x%04x%08x","batch":"%08x%08x%016x",', seed, number, next, seed, number, next)
        .. bodies[place]
end

function done(summary, latency)
    io.write(string.format(
        "BENCH {\"requests\": %d, \"microseconds\": %d, \"errors\": %d, \"p50\": %d, \"p99\": %d}\n", summary.requests,
        summary.duration, summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write
        + summary.errors.timeout, latency:percentile(50), latency:percentile(99)))
end
