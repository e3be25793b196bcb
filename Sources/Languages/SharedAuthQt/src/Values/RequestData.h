#pragma once

#include "GLib.h"
#include "Request.h"

namespace SharedAuth {

/// The GObject of a request, to which it holds a reference.
class RequestData : public QSharedData
{
public:
    /// Adds a reference to a request.
    static Request reading(SharedAuthRequest *object)
    {
        Request request;
        request.d = new RequestData(GLib::sharing(object));
        return request;
    }

private:
    friend class Request;

    explicit RequestData(const std::shared_ptr<SharedAuthRequest> &object) : m_object(object) {}

    const std::shared_ptr<SharedAuthRequest> m_object;
};

} // namespace SharedAuth
