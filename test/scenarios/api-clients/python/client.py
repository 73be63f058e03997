"""The library of OpenAI for Python. Prints one line of JSON for each case, as cases.mjs does."""

import asyncio
import functools
import json
import re
import sys
import traceback
import urllib.request

import openai
from openai import AsyncOpenAI, OpenAI

server = json.loads(sys.argv[1])
is_meeting = "meet" in sys.argv[2:]
client = OpenAI(base_url=server["url"], api_key=server["key"], max_retries=0)

ASK = "Look into the note."
SAID = re.compile(r"^Let me look\.\s*It says milk\.$")
AGAIN = "What do you remember?"
KNOWS = re.compile(r"I know of 1 results\.")
TOOL = {
    "name": "read_file",
    "description": "Reads a file of the client.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
}


def user(content):
    return {"role": "user", "content": content}


def expect(pattern, text):
    assert pattern.search(text or ""), f"{text!r} does not match {pattern.pattern}"


def session_ids():
    address = server["url"].removesuffix("/v1") + "/api/sessions?limit=200&include_children=true"
    request = urllib.request.Request(address, headers={"authorization": f"Bearer {server['key']}"})
    with urllib.request.urlopen(request) as reply:
        return {session["id"] for session in json.load(reply)["data"]}


def in_one_session(work):
    @functools.wraps(work)
    def checked():
        before = session_ids()
        work()
        begun = session_ids() - before
        assert len(begun) == 1, f"the conversation was spread over {len(begun)} sessions"

    return checked


def a_chat():
    reply = client.chat.completions.create(model="svc", messages=[user(ASK)])
    expect(SAID, reply.choices[0].message.content)
    assert reply.choices[0].finish_reason == "stop"


def a_streamed_chat():
    stream = client.chat.completions.create(model="svc", messages=[user(ASK)], stream=True)
    expect(SAID, "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices))


def a_streamed_chat_by_the_helper():
    with client.chat.completions.stream(model="svc", messages=[user(ASK)]) as stream:
        expect(SAID, stream.get_final_completion().choices[0].message.content)


def a_chat_with_a_tool_of_the_same_name():
    tools = [{"type": "function", "function": TOOL}]
    reply = client.chat.completions.create(model="svc", messages=[user(ASK)], tools=tools)
    assert not reply.choices[0].message.tool_calls, "a tool of the client would be called"
    expect(SAID, reply.choices[0].message.content)


def a_chat_of_several_turns():
    messages = [user(ASK)]
    for _ in range(2):
        reply = client.chat.completions.create(model="svc", messages=messages)
        messages += [reply.choices[0].message, user(AGAIN)]
    reply = client.chat.completions.create(model="svc", messages=messages)
    expect(KNOWS, reply.choices[0].message.content)


def a_response():
    response = client.responses.create(model="svc", input=ASK)
    expect(SAID, response.output_text)
    assert [item.type for item in response.output] == ["message", "mcp_call", "message"]


def a_streamed_response():
    text, last = "", ""
    for event in client.responses.create(model="svc", input=ASK, stream=True):
        last = event.type
        if event.type == "response.output_text.delta":
            text += event.delta
    expect(SAID, text)
    assert last == "response.completed"


def a_streamed_response_by_the_helper():
    with client.responses.stream(model="svc", input=ASK) as stream:
        expect(SAID, stream.get_final_response().output_text)


def a_response_with_a_tool_of_the_same_name():
    response = client.responses.create(model="svc", input=ASK, tools=[{"type": "function", **TOOL}])
    assert not [item for item in response.output if item.type == "function_call"]
    expect(SAID, response.output_text)


def responses_of_several_turns_by_the_id():
    first = client.responses.create(model="svc", input=ASK)
    second = client.responses.create(model="svc", input=AGAIN, previous_response_id=first.id)
    expect(KNOWS, second.output_text)


def responses_of_several_turns_with_the_full_history():
    given = [user(ASK)]
    for _ in range(2):
        given += client.responses.create(model="svc", input=given).output
        given.append(user(AGAIN))
    expect(KNOWS, client.responses.create(model="svc", input=given).output_text)


def a_stored_response():
    made = client.responses.create(model="svc", input=ASK, metadata={"order": "42"})
    assert client.responses.retrieve(made.id).metadata == {"order": "42"}
    items = client.responses.input_items.list(made.id)
    assert items.data[0].content[0].text == ASK
    client.responses.delete(made.id)
    try:
        client.responses.retrieve(made.id)
    except openai.NotFoundError:
        return
    raise AssertionError("it is still there")


def a_response_in_the_background():
    begun = client.responses.create(model="svc", input=ASK, background=True)
    events = client.responses.retrieve(begun.id, stream=True)
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    expect(SAID, text)
    assert client.responses.retrieve(begun.id).status == "completed"


def a_model():
    first = client.models.list().data[0]
    assert client.models.retrieve(first.id).id == first.id


def failures_by_their_classes():
    wrong = OpenAI(base_url=server["url"], api_key="wrong", max_retries=0)
    try:
        wrong.models.list()
        raise AssertionError("a wrong key is accepted")
    except openai.AuthenticationError:
        pass
    try:
        client.responses.create(model="svc", input="")
        raise AssertionError("an empty input is accepted")
    except openai.BadRequestError as error:
        assert error.request_id.startswith("req_")


def the_asynchronous_client():
    async def both():
        async with AsyncOpenAI(base_url=server["url"], api_key=server["key"], max_retries=0) as other:
            asked = [other.responses.create(model="svc", input=ASK) for _ in range(2)]
            return await asyncio.gather(*asked)

    for response in asyncio.run(both()):
        expect(SAID, response.output_text)


def meets_the_other_clients():
    stream = client.chat.completions.create(
        model="svc", messages=[user("Meet the others as python.")], stream=True
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
    expect(re.compile(r"Hello python\.$"), text)


cases = [
    a_chat,
    a_streamed_chat,
    a_streamed_chat_by_the_helper,
    a_chat_with_a_tool_of_the_same_name,
    in_one_session(a_chat_of_several_turns),
    a_response,
    a_streamed_response,
    a_streamed_response_by_the_helper,
    a_response_with_a_tool_of_the_same_name,
    in_one_session(responses_of_several_turns_by_the_id),
    in_one_session(responses_of_several_turns_with_the_full_history),
    a_stored_response,
    a_response_in_the_background,
    a_model,
    failures_by_their_classes,
    the_asynchronous_client,
]

for case in [meets_the_other_clients] if is_meeting else cases:
    problem = None
    try:
        case()
    except Exception as error:  # noqa: BLE001
        place = traceback.extract_tb(error.__traceback__)[-1].lineno
        problem = f"{type(error).__name__} at line {place}: {error}"[:400]
    name = case.__name__.replace("_", " ")
    print(json.dumps({"client": "openai-python", "name": name, "ok": problem is None, "problem": problem}), flush=True)
